import { OPENERS } from '../text/openers.js';
import { RuleSet } from '../match/rules.js';
import { Sentence, sentencesOf } from '../text/sentences.js';
import { contentOf } from '../text/terms.js';
import { Turn } from '../turn/turn.js';
import { Word } from '../text/words.js';
import { answersKind, Kind, kindAsked, saysKindAsked } from './recollect.fits.js';
import { NEXT_ONE, PLACE, PRONOUNS } from './recollect.words.js';
import { languageOf } from './skill.js';

/** What the user said earlier. */
export interface Statement {
  readonly text: string;
  readonly words: readonly Word[];
  readonly terms: ReadonlySet<string>;
  /** What it goes on about, if it is one that goes on: `it's in Glasgow`. */
  readonly about: ReadonlySet<string>;
  readonly asks: boolean;
  /** Whether it names the user. */
  readonly own: boolean;
}

/** Words of a language that do not tell one statement from another. */
export interface Alike {
  /** Words of such questions that say nothing of what is asked for. */
  readonly asking: ReadonlySet<string>;
  /** The first of the words that mean nearly the same, by each of them. */
  readonly alike: ReadonlyMap<string, string>;
  /** Finds requests for what was said: `what did I say`. */
  readonly phrases: RuleSet;
  /** Finds requests for advice: `what do I do with`. */
  readonly advice: RuleSet;
}

/** The share of what a question names that a statement must have: of an implicit one more. */
export const EXPLICIT = 0.34;
export const IMPLICIT = 0.5;
export const ALL = 1;
const GOES_ON = 0.6;
const ASKING_COSTS = 0.2;
const LEAST_PART = 5;
/** A statement of so few words goes on about what was said before it. */
const SHORT = 5;
/** So many statements before it, it may be about. */
const BEFORE = 2;
const WHICH = new Set('which welche welcher welches welchen welchem que'.split(' '));
/** What is asked right behind a statement: "and which day?". */
const NEXT: ReadonlySet<Kind> = new Set<Kind>(['when', 'where', 'who']);
const MOST_NEXT_WORDS = 3;
/** So many requests back the statement may stand. */
const MOST_ASIDE = 3;
/** Those who are asked about, and of whom. */
const PERSONS = new Set('he she they er sie ella ellos ellas his her their'.split(' '));
const US = new Set('us we wir uns somos nosotros'.split(' '));
/** A word of as many letters is no preposition. */
const LEAST_VERB = 3;
/** Of a question that names nothing, the last of so many statements is meant. */
const LATELY = 12;

/** What a question names that an answer must name too: of "which language do I learn?" not the language. */
function namedBy({ words, terms }: Sentence, known: Alike, stemOf: (word: string) => string, kind?: Kind) {
  const kinds = new Set(
    words.filter(({ text }) => saysKindAsked(text) || WHICH.has(text)).map(({ text }) => stemOf(text)),
  );
  const content = contentOf(terms).filter((term) => !kinds.has(term));
  const named = content.filter((term) => !known.asking.has(term));
  const at = words.findIndex(({ text }) => WHICH.has(text));
  const which = kind === undefined && at >= 0 ? stemOf(words[at + 1]?.text ?? '') : '';
  const rest = named.filter((term) => term !== which);
  // "When do we leave?"
  const isWeak = named.length === 0 && (kind === undefined || kind === 'when');
  return { named: namedIn(rest.length > 0 ? rest : isWeak ? content : named, known), isWeak };
}

/** What the user said that answers a question best: it has a share of what that names, and what it asks for. */
export function bestFor(turn: Turn, sentence: Sentence, known: Alike, least: number): Statement | undefined {
  const said = statementsOf(turn, known);
  const kind = kindAsked(sentence);
  const { named, isWeak } = namedBy(sentence, known, turn.knowledge.terms.stemOf, kind);
  const fits = (text: string) => kind === undefined || answersKind(kind, text, languageOf(turn));
  const bare = () =>
    kind && mayBeBare(sentence, kind, least, named.length > 0) ? bareAnswer(said, sentence, kind, fits) : undefined;
  if (named.length === 0) {
    const last = said.slice(-MOST_ASIDE).findLast(({ asks }) => !asks);
    const isNext = kind !== undefined && NEXT.has(kind) && asksNext(sentence);
    const own = sentence.terms.shape?.isOwn ? bare() : undefined;
    return own ?? (isNext && last && fits(last.text) ? last : bare());
  }
  let best: { statement: Statement; score: number } | undefined;
  said.forEach((statement, index) => {
    if (!fits(statement.text) || ((kind === undefined || least === ALL) && statement.asks)) return;
    const direct = named.filter((term) => names(statement.terms, term)).length;
    const before = named.filter((term) => !names(statement.terms, term) && names(statement.about, term)).length;
    if ((direct + before) / named.length < least) return;
    const score = (direct + GOES_ON * before) / named.length - (statement.asks ? ASKING_COSTS : 0) + index / 1000;
    if (!best || score > best.score) best = { statement, score };
  });
  return best?.statement ?? (isWeak ? bare() : undefined);
}

/** Whether a question that names nothing asks for what was said: "how old is she?", not "how much do I need?". */
function mayBeBare({ words, terms }: Sentence, kind: Kind, least: number, saysMore: boolean): boolean {
  const has = (some: ReadonlySet<string>) => words.some(({ text }) => some.has(text));
  if (least === EXPLICIT) return true;
  if (kind === 'age' || kind === 'name')
    return has(PERSONS) || (kind === 'age' && words.some(({ text }) => text === 'tiene'));
  if (kind === 'many') return has(US);
  // "Which date is it today?"
  const isOwn = terms.shape?.isOwn === true && (kind === 'where' || saysMore);
  return (kind === 'where' || kind === 'when') && (isOwn || has(PERSONS));
}

/** The last statement that answers a question of nothing but its kind: "how old is she?", "how many of us?". */
function bareAnswer(
  said: readonly Statement[],
  { words, terms }: Sentence,
  kind: Kind,
  fits: (text: string) => boolean,
): Statement | undefined {
  const isOwn = terms.shape?.isOwn === true;
  const all = said.slice(isOwn ? 0 : -LATELY).filter(({ asks, text }) => !asks && fits(text));
  // "De dónde soy" is what was said with "soy", if something was.
  const spoken = new Set(words.map(({ text }) => text).filter((text) => text.length >= LEAST_VERB && !US.has(text)));
  const shared = all.map((one) => one.words.filter(({ text }) => spoken.has(text)).length);
  const most = Math.max(...shared);
  const told = all.filter((_, index) => shared[index] === most);
  if (kind === 'where' && isOwn) return told.findLast(({ own, text }) => own && PLACE.test(text)) ?? told.at(-1);
  return (isOwn ? told.findLast(({ own }) => own) : undefined) ?? told.at(-1);
}

/** Whether a question goes on: "and which day?" */
export function asksNext({ words }: Sentence): boolean {
  return words.length <= MOST_NEXT_WORDS + (OPENERS.has(words[0]?.text ?? '') ? 1 : 0);
}

/** All statements of the turns before, each with what it is about. */
export function statementsOf(turn: Turn, known: Alike): Statement[] {
  const statements: Statement[] = [];
  for (const request of turn.statements())
    for (const { text, words, terms, asks } of sentencesOf(request, turn.knowledge.terms)) {
      if (known.phrases.best(words, text)?.rule.id === 'explicit') continue;
      const own = new Set(namedIn(contentOf(terms), known));
      const isNext = NEXT_ONE.test(text);
      const pointsBack = words.slice(0, 3).some((word) => PRONOUNS.has(word.text));
      const goesOn = isNext || pointsBack || (words.length <= SHORT && terms.shape?.subject !== 'self');
      const before = statements.filter((one) => !one.asks).slice(isNext ? 0 : pointsBack ? -BEFORE : -1);
      statements.push({
        text,
        words,
        terms: own,
        about: new Set(goesOn ? before.flatMap((one) => [...one.terms]) : []),
        asks: asks && !tellsFirst(turn, text),
        own: terms.shape?.isOwn === true,
      });
    }
  return statements;
}

/** Whether terms have one, be it as a part of a compound: `Nussallergie`. */
function names(terms: ReadonlySet<string>, term: string): boolean {
  return terms.has(term) || (term.length >= LEAST_PART && [...terms].some((one) => one.endsWith(term)));
}

/** "My sister is pregnant, which cheese …?" tells of her. */
function tellsFirst({ knowledge }: Turn, text: string): boolean {
  const [first, ...others] = text.split(/[,;:] /u);
  const words = first && others.length > 0 ? sentencesOf(first, knowledge.terms)[0] : undefined;
  return words !== undefined && !words.asks && words.words.length > 1 && contentOf(words.terms).length > 0;
}

function namedIn(terms: readonly string[], { alike }: Alike): string[] {
  return [...new Set(terms.map((term) => alike.get(term) ?? term))];
}
