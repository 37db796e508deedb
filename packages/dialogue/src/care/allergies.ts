import { DAIRY, EGGS, FISH, GLUTEN, namesFood, NUTS, SEAFOOD } from './foods.js';
import { Reply } from '../turn/choose.js';
import { ADDED } from '../script/answer-points.js';
import { Sentence, sentencesOf } from '../text/sentences.js';
import { Turn } from '../turn/turn.js';

const list = (words: string) => words.split(' ');

/** What someone may be allergic to: the words for it, folded, and the words for what has it in it. */
const ALLERGENS: Readonly<Record<string, { readonly named: readonly string[]; readonly foods: readonly string[] }>> = {
  gluten: {
    named: list('gluten glutenfrei coeliac celiac zoliakie celiaco celiaca wheat weizen trigo'),
    foods: GLUTEN,
  },
  nuts: {
    named: list(
      'nut nuts peanut peanuts nuss nusse erdnusse nussallergie erdnussallergie frutos nueces cacahuetes cacahuete',
    ),
    foods: NUTS,
  },
  milk: {
    named: list('milk lactose dairy milch laktose laktoseintolerant milcheiweiss leche lactosa lacteos'),
    foods: DAIRY,
  },
  eggs: { named: list('egg eggs ei eier huevo huevos'), foods: EGGS },
  seafood: {
    named: list(
      'fish shellfish seafood prawns shrimp fisch meeresfruchte krebstiere garnelen pescado marisco mariscos gambas',
    ),
    foods: [...FISH, ...SEAFOOD],
  },
};
/** How someone says that somebody must not have something, in any language. */
const MUST_NOT = [
  'allergi*',
  'alergi*',
  'intoleran*',
  'unvertraglich*',
  '(can not|must not|may not|not allowed to) (eat|have|tolerate)',
  '(vertragt|vertragen|vertrage|darf|durfen) (kein|keine|keinen|nichts mit)',
  'no (puede|pueden|puedo|tolera|toleran|debe) (comer|tomar|tener)',
];
/** Words that say so alone. */
const ALONE: ReadonlySet<string> = new Set(
  list('coeliac celiac zoliakie celiaco celiaca laktoseintolerant nussallergie erdnussallergie'),
);
/** The ids of what is said of them anyway. */
const HEEDS = /gluten|allerg|lactose/;
/** As many statements back an allergy still counts. */
const STATEMENTS = 12;

/** A reply with what must be heeded of an allergy that was told, be it somebody else's; that alone to who asks for what has it in it. */
export function withAllergyAdvice(turn: Turn, reply: Reply): Reply {
  if (!reply.isAnswered) return reply;
  const { terms } = turn.knowledge;
  const now = sentencesOf(turn.request, terms);
  const earlier = turn.statements().slice(-STATEMENTS);
  const must = allergens(turn, [...now, ...earlier.flatMap((text) => sentencesOf(text, terms))]);
  if (must.length === 0) return reply;
  const inText = (text: string) => must.find((name) => namesFood(text, ALLERGENS[name]!.foods));
  const asked = must.find((name) =>
    now.some((one) => one.asks && !tells(turn, one, name) && namesFood(one.text, ALLERGENS[name]!.foods)),
  );
  const name = asked ?? inText(reply.answer) ?? (turn.whole.asks ? allergens(turn, now)[0] : undefined);
  const note = name && turn.builtInReply(`${ADDED}${name}`, true);
  if (!note || HEEDS.test(reply.id)) return reply;
  return asked ? { ...note, id: reply.id } : { ...reply, answer: `${reply.answer} ${note.answer}` };
}

/** What somebody must not have, as some sentences tell. */
function allergens(turn: Turn, said: readonly Sentence[]): readonly string[] {
  return Object.keys(ALLERGENS).filter((name) => said.some((sentence) => tells(turn, sentence, name)));
}

function tells({ knowledge }: Turn, { words, text }: Sentence, name: string): boolean {
  const named = words.filter((word) => ALLERGENS[name]!.named.includes(word.text));
  if (named.some((word) => ALONE.has(word.text))) return true;
  return named.length > 0 && knowledge.setFor('must_not_have', MUST_NOT).best(words, text) !== undefined;
}
