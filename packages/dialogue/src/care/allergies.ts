import { DAIRY, EGGS, FISH, GLUTEN, namesFood, NUTS, SEAFOOD } from './foods.js';
import { answerFrom } from '../conversation/choose.js';
import { Part, partOf, sentencesOf } from '../conversation/parts.js';
import { Reply, Turn } from '../conversation/turn.js';
import { RuleSet } from '../match/rule-set.js';
import { LazyPattern } from '../match/pattern.js';

/** Begins the ids of what is to be heeded. */
const ADDED = 'allergy_';
const ALLERGY = 'food_allergy';
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
/** As many requests back an allergy still counts. */
const REQUESTS = 12;
const MUST_NOT_HAVE = new RuleSet([
  { rule: true, patterns: MUST_NOT.map((source) => new LazyPattern(source, new Map())) },
]);

/** A reply with what must be heeded of an allergy that was told, be it somebody else's; that alone to who asks for what has it in it. */
export function withAllergyAdvice(turn: Turn, reply: Reply): Reply {
  if (reply.kind === 'unknown') return allergyCare(turn) ?? reply;
  if (reply.kind !== 'answered') return reply;
  const read = (text: string) => sentencesOf(text).map((sentence) => partOf(turn, sentence));
  const now = read(turn.request);
  const must = allergens([...now, ...turn.earlier.slice(-REQUESTS).flatMap(read)]);
  if (must.length === 0) return reply;
  const names = (text: string, name: string) => namesFood(text, ALLERGENS[name]!.foods);
  const asks = now.filter((part) => part.asks);
  const asked = must.find((name) => asks.some((part) => !tells(part, name) && names(part.text, name)));
  const name =
    asked ?? must.find((one) => names(reply.answer, one)) ?? (asks.length > 0 ? allergens(now)[0] : undefined);
  const note = name && answerFrom(turn, `${ADDED}${name}`);
  if (!note || HEEDS.test(reply.id)) return reply;
  return { ...reply, answer: asked ? note : `${reply.answer} ${note}` };
}

/** What is said to a question about food, of which nothing is known, with an allergy: nothing is served on a guess. */
function allergyCare(turn: Turn): Reply | undefined {
  const { script, words, request } = turn;
  const now = sentencesOf(request).map((sentence) => partOf(turn, sentence));
  const asks = request.includes('?') || now.some((part) => part.asks);
  if (!asks || !script.book.careSet(ALLERGY).best(words, request)) return undefined;
  const name = allergens(now)[0];
  const texts = [name && answerFrom(turn, `${ADDED}${name}`), answerFrom(turn, ALLERGY)].filter(Boolean);
  return texts.length === 0 ? undefined : { id: ALLERGY, answer: texts.join(' '), kind: 'care' };
}

/** What somebody must not have, as some sentences tell. */
function allergens(said: readonly Part[]): readonly string[] {
  return Object.keys(ALLERGENS).filter((name) => said.some((part) => tells(part, name)));
}

function tells({ words, text }: Part, name: string): boolean {
  const named = words.filter((word) => ALLERGENS[name]!.named.includes(word.text));
  if (named.some((word) => ALONE.has(word.text))) return true;
  return named.length > 0 && MUST_NOT_HAVE.best(words, text) !== undefined;
}
