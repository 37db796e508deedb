import { choose, Reply } from '../turn/choose.js';
import { contextLinkOf } from '../context/continuation.js';
import { ScriptThing } from '../format/script-file.js';
import { QUESTION_WORDS, sentencesOf } from '../text/sentences.js';
import { lastThing, namesOfSubject, pointsToThing } from '../context/last-thing.js';
import { ABOUT, ThingBook } from '../match/thing-book.js';
import { NAME, withoutNames } from '../match/naming.js';
import { contentOf, Terms } from '../text/terms.js';
import { Turn } from '../turn/turn.js';
import { fold, wordsOf } from '../text/words.js';

const MOST_SUGGESTED = 2;
const MOST_WORDS = 30;
/** Names that begin with as many of the same letters are forms of one. */
const ALIKE = 3;
const MOST_ENDING = 3;
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

/** Words before a name that needs no article behind them. */
const BEFORE_BARE: Readonly<Record<string, RegExp>> = {
  de: /(?:en|ern|eln|^ich|^man|^ohne|^für|^viel)$/u,
  es: /^(?:de|con|sin|un|una|el|la|al|del|los|las|unos|unas)$/u,
};

const ARTICLES = new Set(['a', 'an', 'the']);

/** Articles, and German adjectives, of which others stand elsewhere. */
const BEGINS_DECLINED: Readonly<Record<string, RegExp>> = {
  de: /^(?:der|die|das|\p{L}+e[rsn]?) /iu,
  es: /^(?:el|la|los|las) /iu,
};

/** German plural verbs stand before names of many: `fressen`, not `gegen`. */
const BEFORE_MANY = /(?:en|ern|eln)$/u;
const NO_VERBS = new Set('gegen wegen neben zwischen einen meinen diesen keinen jeden'.split(' '));

/** "Why is my butter so tough?" is for who has some, in any language. */
const PRESUMING = /\b(?:my|mein|meine[mnrs]?|mis?) \{thing\}/i;

const FEMININE: ReadonlyMap<string, string> = new Map(
  Object.entries({ un: 'una', el: 'la', del: 'de la', al: 'a la', los: 'las', unos: 'unas' }),
);

/** An honest answer to a question on a thing of which nothing is known that says so. */
export function unknownOfThing(turn: Turn): Reply | undefined {
  const { knowledge, whole } = turn;
  const book = knowledge.things;
  const { shape } = whole.terms;
  if (!book || !whole.asks || whole.checks || shape?.addresses || sentencesOf(turn.request, knowledge.terms).length > 1)
    return undefined;
  const names = namesOfSubject(turn, book, whole);
  const points = pointsToThing(turn, whole) || contextLinkOf(turn, whole) === 'continues';
  const last = points ? lastThing(turn, book) : undefined;
  // What was only named by the way may not be what is meant.
  if (last && !last.isMentioned && (last.told || turn.requests[0]?.asks)) {
    const [thing] = last.things;
    return namesOther(book, thing!, contentOf(whole.terms))
      ? undefined
      : notKnown(turn, book, { thing: thing!, name: last.name });
  }
  const [naming] = names;
  const thing = names.length === 1 && !shape?.isOwn ? naming!.things[0]! : undefined;
  if (!thing || namesOther(book, thing, contentOf(knowledge.terms.ofWords(withoutNames(whole.words, names), true))))
    return undefined;
  return notKnown(turn, book, { thing, name: book.nameOf(thing, whole.words, naming!, whole.text) });
}

/** Whether a request says something that is no word of what may be asked of a thing: it may be about that. */
function namesOther(book: ThingBook, { kind }: ScriptThing, content: readonly string[]): boolean {
  return content.some((term) => term !== NAME && !book.isAskedOf(kind, term));
}

/** An honest answer, with questions on the thing that have one. */
export function notKnown(
  turn: Turn,
  book: ThingBook,
  { thing, name: said = thing.names[0]! }: { readonly thing: ScriptThing; readonly name?: string },
): Reply | undefined {
  const texts = turn.knowledge.replies('thing_unknown');
  if (texts.length === 0) return undefined;
  const { terms } = turn.knowledge;
  const forms = formsOf(thing, said);
  const names = isGerman(terms) ? forms.filter((form) => !isDative(form, forms)) : forms;
  const [question, other] = suggestions(turn, book, thing, names);
  const plural = terms.language.startsWith('en') ? names.find((name) => name.endsWith('s')) : undefined;
  const known = {
    thing: written(plural ?? names[0] ?? said, terms),
    ...(question && { question }),
    ...(question && other && { other }),
  };
  return { id: 'unknown', answer: choose(texts, turn.said, known), isAnswered: false };
}

/** Questions that can be answered on a thing, other than those that were, with a name that fits into them. */
function suggestions(
  { said, seed, knowledge }: Turn,
  book: ThingBook,
  thing: ScriptThing,
  forms: readonly string[],
): string[] {
  const before = new Set(said.history.map(({ answer }) => answer));
  const open = Object.keys(thing.says).filter((id) => id !== ABOUT && !before.has(thing.says[id]!));
  // German plurals, which are the longer forms, need no article.
  const names = isGerman(knowledge.terms) ? forms.toSorted((one, other) => other.length - one.length) : forms;
  const found: string[] = [];
  for (const index of open.keys()) {
    const examples = book.examplesOf(thing.kind, open[(seed + index) % open.length]!);
    const text = withName(
      examples.filter((example) => knowledge.terms.asks(wordsOf(example, MOST_WORDS)) && !PRESUMING.test(example)),
      names,
      knowledge.terms,
    );
    if (text) found.push(text);
    if (found.length === MOST_SUGGESTED) break;
  }
  return found;
}

/** A name of a thing, then others of which it may be the singular or plural. */
function formsOf({ names }: ScriptThing, said: string): string[] {
  const start = (text: string) => fold(text).slice(0, ALIKE);
  const isForm = (other: string) =>
    fold(other) !== fold(said) && start(other) === start(said) && Math.abs(other.length - said.length) <= MOST_ENDING;
  return [said, ...names.filter(isForm)];
}

/** "Haien", beside "Haie" and "Hai". */
function isDative(form: string, forms: readonly string[]): boolean {
  const plural = forms.find((other) => form === `${other}n`);
  return plural !== undefined && forms.some((other) => other !== plural && other.length <= plural.length);
}

/** The first example into which one of some names fits, with that. */
function withName(examples: readonly string[], names: readonly string[], terms: Terms): string | undefined {
  for (const name of names) {
    const traits = traitsOf(name, terms);
    const isCountable = terms.language.startsWith('en') && names.includes(`${name}s`);
    const fits = (text: string) => {
      const before = BEFORE_NAMES.get(wordBefore(text)) ?? '';
      if (!mayStandBehind(wordBefore(text), name, terms)) return false;
      if (isGerman(terms) && !fitsVerb(wordBefore(text), name, names)) return false;
      if (isCountable && !ARTICLES.has(wordBefore(text))) return false;
      return [...before].every((trait) => traits.includes(trait));
    };
    const forms = traits.includes('f') ? examples.flatMap(feminine) : examples;
    const said = written(name, terms);
    const example = forms.find(fits)?.replace(/\ba \{thing\}/, /^[aeiou]/i.test(said) ? 'an {thing}' : 'a {thing}');
    if (example) return example.replace('{thing}', () => said);
  }
  return undefined;
}

/** Whether a name without an article can stand behind a word: not in "wie funktioniert Schiffe", "¿es sano miel?". */
function mayStandBehind(word: string, name: string, { language }: Terms): boolean {
  const before = BEFORE_BARE[language.slice(0, 2)];
  return before === undefined || (before.test(word) && !BEGINS_DECLINED[language.slice(0, 2)]!.test(name));
}

/** "Wie alt werden Haie", not "Hai": a name of many is longer than one that begins alike. */
function fitsVerb(word: string, name: string, names: readonly string[]): boolean {
  if (NO_VERBS.has(word)) return false;
  return !BEFORE_MANY.test(word) || names.some((other) => other.length < name.length);
}

function wordBefore(example: string): string {
  return example.split(' {thing}')[0]!.split(' ').at(-1)!;
}

/** A Spanish question on a feminine name, if no other word of it has a gender. */
function feminine(example: string): string[] {
  const article = FEMININE.get(wordBefore(example));
  if (!article) return [example];
  const others = example.split(' ').filter((word) => /[ao]s?$/.test(word) && !QUESTION_WORDS.has(fold(word)));
  return others.every((word) => FEMININE.has(word))
    ? [example.replace(`${wordBefore(example)} {thing}`, `${article} {thing}`)]
    : [];
}

/** The number of a name, and its gender in Spanish as far as its ending tells. */
function traitsOf(name: string, { language }: Terms): string {
  const number = /[^s]s$/.test(name) ? 'n' : '1';
  const gender = /as?$/.test(name) ? 'f' : /es?$/.test(name) ? '' : 'm';
  return language.startsWith('es') ? number + gender : number;
}

/** German nouns have a capital. */
function written(name: string, terms: Terms): string {
  return isGerman(terms) ? name.replace(/(?:^| )\p{L}/gu, (start) => start.toUpperCase()) : name;
}

function isGerman({ language }: Terms): boolean {
  return language.startsWith('de');
}
