import { oneNotAmong, Reply } from '../turn/choose.js';
import { DAIRY, EGGS, FISH, GLUTEN, isOneOf, MEAT, namesFood, NUTS, PORK, SEAFOOD } from './foods.js';
import { unknown } from '../reactions/fallback.js';
import { sentencesOf } from '../text/sentences.js';
import { Turn } from '../turn/turn.js';
import { Word, wordsOf } from '../text/words.js';
import { FITS_DIET, WITHHELD } from '../match/scores.js';

/** What stands for a group of foods, by how the user names it and by the words for them, folded; stems. */
interface Group {
  readonly named: readonly string[];
  readonly foods: readonly string[];
}

const list = (words: string) => words.split(' ');

const DIETS: readonly Group[] = [
  {
    named: list('vegan vegano vegana veganer veganerin'),
    foods: [...MEAT, ...DAIRY, ...EGGS, 'honey', 'honig', 'miel'],
  },
  {
    named: list('vegetarian veggie vegetarier vegetarierin vegetarisch vegetariano vegetariana'),
    foods: MEAT,
  },
  {
    named: list('coeliac celiac zoliakie celiaco celiaca gluten'),
    foods: GLUTEN,
  },
  {
    named: list('lactose laktose laktoseintolerant lactosa milk dairy milch milchprodukte leche lacteos'),
    foods: DAIRY,
  },
  {
    named: list('nut nuts peanuts nusse erdnusse nuss frutos nueces cacahuetes'),
    foods: NUTS,
  },
  {
    named: list(
      'shellfish seafood prawns shrimp meeresfruchte krebstiere garnelen schalentiere marisco mariscos gambas',
    ),
    foods: SEAFOOD,
  },
  { named: list('fish fisch pescado'), foods: FISH },
  { named: list('egg eggs eier huevo huevos'), foods: EGGS },
  { named: list('pork schweinefleisch schwein cerdo'), foods: PORK },
  { named: list('meat fleisch carne'), foods: MEAT },
];
/** How someone says what they cannot or do not eat, in any language. */
const SAYS = [
  '(i|we) (can not|do not|never) (eat|have|tolerate)',
  'allergi*',
  'alergi*',
  'intoleran*',
  '(esse|essen|vertrage|darf) (kein|keine|keinen|nie)',
  '(esse|essen|vertrage|darf) ich (kein|keine|keinen)',
  'no (como|comemos|tolero|puedo comer|puedo tomar)',
];
const SELF: ReadonlySet<string> = new Set(
  list(
    'i we ich wir bin yo nosotros soy somos como comemos tolero tengo tenemos puedo podemos me my mine mein meine meiner mi',
  ),
);
/** Stand between the user and a diet that is of others. */
const OTHERS: ReadonlySet<string> = new Set(
  list(
    'for who that with one someone somebody he she they guest guests friend friends partner wife husband girlfriend boyfriend brother sister son daughter flatmate flatmates niece nephew grandson granddaughter grandchild aunt uncle ' +
      'mother father mum mom dad kids child roommate colleague everyone ' +
      'fur wer mit eine einer eins er sie jemand gast gaste freund freundin freunde mann frau partner partnerin bruder schwester sohn tochter mutter vater ' +
      'kind kinder enkel enkelin nichte neffe tante onkel mitbewohner oma opa kollege kollegin mitbewohner ' +
      'para con uno una alguien el ella ellos invitado invitada invitados amigo amiga amigos novio novia pareja marido mujer hermano hermana hijo hija ' +
      'madre padre suegra suegro companero companera nieto nieta sobrino sobrina tia tio abuela abuelo nino nina',
  ),
);
/** Say of someone what they are or eat, where the user is not named. */
const IS: ReadonlySet<string> = new Set(list('is are eats ist sind isst es son come comen'));
const JOINS: ReadonlySet<string> = new Set(list('and but und aber y pero'));
/** Diets that one word says. */
const DIET = /^(?:vegan|vegetar|veggie|coeliac|celiac|zoliakie|laktoseintolerant)/;
/** Ends German words for what someone cannot eat. */
const CANNOT = /(?:allergie|allergiker|allergikerin|intoleranz|unvertraglichkeit)$/;

/** What the user cannot or does not eat, as they named it, with the words for it. */
function avoided(turn: Turn): readonly { readonly named: string; readonly foods: readonly string[] }[] {
  const found = new Map<string, readonly string[]>();
  for (const statement of turn.statements())
    for (const { words, text, asks } of sentencesOf(statement, turn.knowledge.terms)) {
      if (asks) continue;
      const says = turn.knowledge.setFor('avoid_says', SAYS).best(words, text) !== undefined;
      for (const [at, { text: word }] of words.entries()) {
        if (!isOfUser(words, at)) continue;
        const stem = word.replace(CANNOT, '');
        const group =
          says || stem !== word || DIET.test(word) ? DIETS.find(({ named }) => named.includes(stem)) : undefined;
        if (group) found.set(stem, group.foods);
      }
    }
  return [...found].map(([named, foods]) => ({ named, foods }));
}

/** Whether what is said of a diet is said of the user: not in "one of them is vegan", nor in "I cook for a vegan". */
function isOfUser(words: readonly Word[], at: number): boolean {
  const begins = words.findLastIndex(
    ({ text, clause }, index) => index < at && (JOINS.has(text) || clause !== words[at]!.clause),
  );
  const before = words.slice(begins + 1, at).map(({ text }) => text);
  const self = before.findLastIndex((text) => SELF.has(text));
  // "Vegan, please."
  if (self < 0) return !before.some((text) => OTHERS.has(text) || IS.has(text));
  return !before.slice(self + 1).some((text) => OTHERS.has(text));
}

/** A reply that names nothing that the user cannot eat, unless they ask about that. */
export function withoutAvoided(turn: Turn, reply: Reply): Reply {
  const rule = turn.knowledge.ruleOf(reply.id);
  if (!reply.isAnswered || !rule || !turn.knowledge.isIntent(rule)) return reply;
  const conflict = avoided(turn).find(({ foods }) => namesFood(reply.answer, foods));
  if (!conflict || /veg|allerg|gluten|lactose/.test(reply.id)) return reply;
  const asked = wordsOf(turn.request, 100).map(({ text }) => text);
  if (asked.some((word) => isOneOf(word, conflict.foods) || word === conflict.named)) return reply;
  const others = rule.answers.filter((answer) => !answer.includes('{') && !namesFood(answer, conflict.foods));
  if (others.length > 0)
    return {
      ...reply,
      answer: oneNotAmong(turn.said.history, others, turn.seed),
    };
  const { knowledge } = turn;
  const best = knowledge.intents.best(knowledge.terms.of(`${turn.request} ${conflict.named}`));
  const other =
    best && best.score >= FITS_DIET && knowledge.isIntent(best.rule) ? turn.replyFrom(best.rule) : undefined;
  if (other && !namesFood(other.answer, conflict.foods)) return other;
  const isAskedFor = (knowledge.intents.best(turn.whole.terms)?.score ?? 0) >= WITHHELD;
  return (isAskedFor ? turn.builtInReply('avoids', false) : unknown(turn)) ?? reply;
}
