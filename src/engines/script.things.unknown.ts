import { choose, Reply } from './script.choose.js';
import { ScriptThing } from './script.format.js';
import { sentencesOf } from './script.sentences.js';
import { distinct, lastThing, pointsBack } from './script.things.context.js';
import { ABOUT, ThingBook } from './script.things.js';
import { Turn } from './script.turn.js';

const MOST_SUGGESTED = 2;
/** What stands before a name of a number (one or many) and gender (masculine or feminine); `?` of one that is not told by the name. */
const BEFORE_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '1': 'a an does is has',
    n: 'do are have',
    '1m': 'un el al del',
    '1f': 'una la',
    nm: 'los unos',
    nf: 'las unas',
    '?': 'ein eine einen einem einer der die das den dem',
  }).flatMap(([traits, words]) => words.split(' ').map((word) => [word, traits] as const)),
);

/** An honest answer to a question on a thing of which nothing is known that says so. */
export function unknownOfThing(turn: Turn): Reply | undefined {
  const { talk, whole } = turn;
  const book = talk.things;
  const { shape } = whole.terms;
  if (!book || !whole.asks || shape?.addresses || shape?.isOwn || sentencesOf(turn.request, talk.terms).length > 1)
    return undefined;
  const names = book.namesAskedIn(whole);
  if (distinct(names).length > 1) return undefined;
  const last = names.length > 0 ? names[0] : pointsBack(turn, whole) ? lastThing(turn, book) : undefined;
  const [thing] = last?.things ?? [];
  return thing && notKnown(turn, book, { thing, name: names[0] && book.nameOf(thing, whole.words, names[0]) });
}

/** An honest answer, with questions on the thing that have one. */
export function notKnown(
  turn: Turn,
  book: ThingBook,
  { thing, name: said = thing.names[0]! }: { readonly thing: ScriptThing; readonly name?: string },
): Reply | undefined {
  const texts = turn.talk.replies('thing_unknown');
  if (texts.length === 0) return undefined;
  const name = written(said, turn.talk.terms.language);
  const [question, other] = suggestions(turn, book, thing, name);
  const known = { thing: name, ...(question && { question }), ...(question && other && { other }) };
  return { id: 'unknown', answer: choose(texts, turn.said, known), isAnswered: false };
}

/** Questions that can be answered on a thing, other than those that were. */
function suggestions({ said, seed, talk }: Turn, book: ThingBook, thing: ScriptThing, name: string): string[] {
  const before = new Set(said.history.map(({ answer }) => answer));
  const open = Object.keys(thing.says).filter((id) => id !== ABOUT && !before.has(thing.says[id]!));
  return Array.from({ length: Math.min(MOST_SUGGESTED, open.length) }, (_, index) => {
    const examples = book.examplesOf(thing.kind, open[(seed + index) % open.length]!);
    return withName(examples, name, talk.terms.language);
  }).filter((text) => text !== '');
}

/** The example that a name fits into best, with it. */
function withName(examples: readonly string[], name: string, language: string): string {
  const traits = traitsOf(name, language);
  const fit = (example: string) => {
    const before = BEFORE_NAMES.get(example.split(' {thing}')[0]!.split(' ').at(-1)!.toLowerCase());
    return before === undefined ? 0 : [...before].every((trait) => traits.includes(trait)) ? 1 : -1;
  };
  const best = examples.toSorted((one, other) => fit(other) - fit(one))[0] ?? '';
  return best
    .replace(/\ba \{thing\}/, /^[aeiou]/.test(name) ? 'an {thing}' : 'a {thing}')
    .replace('{thing}', () => name);
}

/** The number of a name, and its gender in Spanish, as its ending tells. */
function traitsOf(name: string, language: string): string {
  const number = /[^s]s$/.test(name) ? 'n' : '1';
  return language.startsWith('es') ? number + (/as?$/.test(name) ? 'f' : 'm') : number;
}

/** German nouns have a capital. */
function written(name: string, language: string): string {
  return language.startsWith('de') ? name.replace(/(?:^| )\p{L}/gu, (start) => start.toUpperCase()) : name;
}
