import { Reply } from '../script.choose.js';
import { Conversation } from '../script.conversation.js';
import { Rule, RuleSet } from '../script.rules.js';
import { QUESTION_WORDS, Sentence, sentencesOf } from '../script.sentences.js';
import { contentOf } from '../script.terms.js';
import { Turn } from '../script.turn.js';
import { fold, Word, wordsOf } from '../script.words.js';
import { NUMBER_WORDS } from './numbers.js';
import { BEFORE_PLACES, NEXT_ONE, PLACE, PRONOUNS, RECOLLECT_WORDS, TIMES } from './recollect.words.js';
import { languageOf, oneOf, skilled } from './skill.js';

/** What the user said earlier, with what it is about: that of the sentence before it too if it only says `she`. */
interface Statement {
  readonly text: string;
  readonly words: readonly Word[];
  readonly terms: ReadonlySet<string>;
  readonly asks: boolean;
  /** Whether it names the user. */
  readonly own: boolean;
}

const MOST_WORDS = 14;
const MOST_LOOKED_AT = 60;
const MOST_CHARACTERS = 240;
/** The share of what a question names that a statement must have: of an implicit one more. */
const EXPLICIT = 0.34;
const IMPLICIT = 0.5;
const ALL = 1;
const FITTING_KIND = 0.5;
const ASKING_COSTS = 0.2;
/** From here on an intent answers an implicit question that nothing said answers. */
const SURE = 0.85;
/** Kinds of questions that are for advice. */
const OTHER_KINDS = new Set(['why', 'way', 'works', 'safe', 'choice', 'duration']);
const ADVISES = new Set(
  'should can could would shall may might soll sollte kann konnte darf muss puedo podria debo deberia deberiamos'.split(
    ' ',
  ),
);
const ASKS_FOR_SLOT = 0.7;
const LEAST_PART = 5;
const LEAST_SAME_WORDS = 2;
/** What may stand before the question word: `and in which …`. */
const MOST_BEFORE = 3;
const PLACES = 'city town country place land stadt ort ciudad pais pueblo sitio lugar'.split(' ');
const NAMES = /heiß|heiss|nenn|namens|called|named|name is|llama|nombre/iu;

interface Compiled {
  readonly phrases: RuleSet;
  readonly asking: ReadonlySet<string>;
  readonly alike: ReadonlyMap<string, string>;
  /** Words for places: `city`. */
  readonly places: ReadonlySet<string>;
}
const compiled = new WeakMap<Conversation, Compiled>();

/** Quotes what the user said, if they ask for it; says honestly that it finds nothing, and never that nothing was told. */
export function recollect(turn: Turn, sentence: Sentence): Reply | undefined {
  const known = compiledFor(turn);
  if (!known || sentence.words.length > MOST_WORDS || turn.said.history.length === 0) return undefined;
  const asked = known.phrases.best(sentence.words, sentence.text)?.rule.id;
  // "How old are you?"
  if (asked === 'possible' && sentence.terms.shape?.addresses) return undefined;
  const kind = asked ?? (mayRecall(sentence) ? 'possible' : undefined);
  const isOwn = sentence.terms.shape?.isOwn === true;
  const whom = kind === undefined || kind === 'possible' ? whoseWords(turn, sentence, known) : undefined;
  if (whom) return quoted(turn, whom.text);
  if (!kind && !isOwn) return undefined;
  const best = turn.talk.intents.best(sentence.terms);
  const slot =
    isOwn && best && best.score >= ASKS_FOR_SLOT && best.rule.id.startsWith('ask_my_') ? best.rule : undefined;
  if (slot && knows(turn, slot)) return undefined;
  if (!slot && (!kind || (kind !== 'explicit' && !sentence.asks))) return undefined;
  if (kind === 'explicit' && best && best.score >= SURE && !slot) return undefined;
  const found = bestFor(turn, sentence, known, kind === 'explicit' ? EXPLICIT : kind === 'possible' ? ALL : IMPLICIT);
  if (found) return quoted(turn, found.text);
  if (kind === 'possible' || (best && best.score >= SURE && !slot)) return undefined;
  return nothingFound(turn);
}

/** "What does my brother do?", but not "why does my brother …", "what should I …" or "am I …?". */
function mayRecall({ asks, terms, words: spoken }: Sentence): boolean {
  const { shape } = terms;
  const isOther = shape?.kind && OTHER_KINDS.has(shape.kind);
  if (!spoken.slice(0, MOST_BEFORE).some(({ text }) => QUESTION_WORDS.has(text))) return false;
  return asks && shape?.isOwn === true && !shape.addresses && !isOther && !spoken.some(({ text }) => ADVISES.has(text));
}

/** What someone said who used the same words as a question for who it is: "who never cleans?". */
function whoseWords(turn: Turn, { words, terms, asks }: Sentence, known: Compiled): Statement | undefined {
  if (terms.shape?.kind !== 'who' || terms.shape.addresses || terms.shape.isOwn || !asks) return undefined;
  const at = words.findIndex(({ text }) => QUESTION_WORDS.has(text));
  const { stemOf } = turn.talk.terms;
  const rest = words.slice(at + 1).filter(({ text }) => !known.asking.has(stemOf(text)));
  if (at > 1 || rest.length < LEAST_SAME_WORDS) return undefined;
  return statementsOf(turn, known).findLast((statement) => {
    const said = new Set(statement.words.map(({ text }) => stemOf(text)));
    return !statement.asks && rest.every(({ text }) => said.has(stemOf(text)));
  });
}

/** Whether a rule's slots are known, so that it can answer. */
function knows(turn: Turn, rule: Rule): boolean {
  const { answer } = turn.from(rule);
  return !rule.answers.includes(answer);
}

/** An honest answer to a question for what was said, where nothing is found. */
export function nothingFound(turn: Turn): Reply | undefined {
  const texts = turn.talk.replies('not_recalled');
  return texts.length > 0 ? skilled('recollect_none', oneOf(turn, texts)) : undefined;
}

/** What the user said that answers a question best. */
export function quoteFor(turn: Turn, sentence: Sentence, isName: boolean): Reply | undefined {
  const known = compiledFor(turn);
  const found = known && bestFor(turn, sentence, known, IMPLICIT);
  return found && (!isName || NAMES.test(found.text) || namesAfter(found.text, sentence))
    ? quoted(turn, found.text)
    : undefined;
}

/** Whether a statement has a name behind a word that a question ends with: `a cat, Misi`. */
function namesAfter(text: string, { words }: Sentence): boolean {
  const asked = words.at(-1)?.text ?? '';
  const said = wordsOf(text, MOST_LOOKED_AT);
  const at = said.findIndex((word) => word.text === asked);
  const next = said[at + 1];
  return at >= 0 && next !== undefined && /^\p{Lu}\p{Ll}/u.test(text.slice(next.start, next.end));
}

function quoted(turn: Turn, text: string): Reply | undefined {
  const texts = turn.talk.replies('recalled');
  const said = turn.talk.terms.dated(text.slice(0, MOST_CHARACTERS));
  return texts.length > 0
    ? skilled(
        'recollect',
        oneOf(turn, texts).replace('{text}', () => said),
      )
    : undefined;
}

function bestFor(turn: Turn, sentence: Sentence, known: Compiled, least: number): Statement | undefined {
  const said = statementsOf(turn, known);
  const { terms } = sentence;
  const named = namedIn(
    contentOf(terms).filter((term) => !known.asking.has(term)),
    known,
  );
  const fits = fitting(turn, sentence);
  // "Where am I from?"
  if (terms.shape?.kind === 'where' && terms.shape.isOwn && named.every((term) => known.places.has(term))) {
    const place = said.findLast(({ asks, text, own }) => !asks && own && PLACE.test(text));
    if (place) return place;
  }
  // "How old is she?"
  if (named.length === 0 && fits && isPronounOrExplicit(least, sentence))
    return said.findLast(({ asks, text }) => !asks && fits(text));
  let best: { statement: Statement; score: number; index: number } | undefined;
  said.forEach((statement, index) => {
    const shared = named.filter((term) => names(statement, term)).length;
    const share = named.length > 0 ? shared / named.length : 0;
    if (share < least || (fits ? !fits(statement.text) && (share < 1 || statement.asks) : statement.asks)) return;
    const kindFits = fits?.(statement.text) ? FITTING_KIND : 0;
    const score = share + kindFits - (statement.asks ? ASKING_COSTS : 0) + index / 1000;
    if (!best || score > best.score) best = { statement, score, index };
  });
  // "I failed my test." … "The next one is on the 14th."
  if (best && terms.shape?.kind === 'when' && fits && !fits(best.statement.text))
    return said.slice(best.index + 1).find(({ asks, text }) => !asks && fits(text)) ?? best.statement;
  return best?.statement;
}

/** Whether a statement names something, be it as a part of a compound: `Nussallergie`. */
function names({ terms }: Statement, term: string): boolean {
  return terms.has(term) || (term.length >= LEAST_PART && [...terms].some((one) => one.endsWith(term)));
}

/** "How old is she?", "where did I say I live?". */
function isPronounOrExplicit(least: number, { terms }: Sentence): boolean {
  return least === EXPLICIT || (least === ALL ? terms.shape?.isOwn !== true : terms.shape?.kind === 'when');
}

/** What an answer to a question must have, by its kind. */
function fitting(turn: Turn, { terms }: Sentence): ((text: string) => boolean) | undefined {
  const numbers = NUMBER_WORDS[languageOf(turn)]!;
  const hasNumber = (text: string) =>
    wordsOf(text, MOST_LOOKED_AT).some(({ text: word }) => /\d/.test(word) || numbers.has(word));
  if (terms.shape?.kind === 'age' || terms.shape?.kind === 'many') return hasNumber;
  if (terms.shape?.kind === 'when')
    return (text) => wordsOf(text, MOST_LOOKED_AT).some(({ text: word }) => TIMES.has(word) || /\d/.test(word));
  if (terms.shape?.kind === 'where')
    return (text) => wordsOf(text, MOST_LOOKED_AT).some(({ text: word }) => BEFORE_PLACES.has(word));
  return undefined;
}

function statementsOf(turn: Turn, known: Compiled): Statement[] {
  const statements: Statement[] = [];
  for (const request of turn.statements())
    for (const { text, words, terms, asks } of sentencesOf(request, turn.talk.terms)) {
      if (known.phrases.best(words, text)?.rule.id === 'explicit') continue;
      const own = new Set(namedIn(contentOf(terms), known));
      const before = statements.findLast((one) => !one.asks);
      if (before && (words.slice(0, 3).some((word) => PRONOUNS.has(word.text)) || NEXT_ONE.test(text)))
        before.terms.forEach((term) => own.add(term));
      if (own.size > 0)
        statements.push({
          text,
          words,
          terms: own,
          asks: asks && !tellsFirst(turn, text),
          own: terms.shape?.isOwn === true,
        });
    }
  return statements;
}

/** "My sister is pregnant, which cheese …?" tells of her. */
function tellsFirst({ talk }: Turn, text: string): boolean {
  const [first, ...others] = text.split(/[,;:] /u);
  const words = first && others.length > 0 ? sentencesOf(first, talk.terms)[0] : undefined;
  return words !== undefined && !words.asks && words.terms.shape?.tells === true;
}

function namedIn(terms: readonly string[], { alike }: Compiled): string[] {
  return [...new Set(terms.map((term) => alike.get(term) ?? term))];
}

function compiledFor(turn: Turn): Compiled | undefined {
  const words = RECOLLECT_WORDS[languageOf(turn)];
  if (!words) return undefined;
  let known = compiled.get(turn.talk);
  if (!known) {
    const { stemOf } = turn.talk.terms;
    const { explicit, implicit, possible } = words;
    const alike = new Map(
      words.alike.flatMap((group) => group.map((word) => [stemOf(fold(word)), stemOf(fold(group[0]!))])),
    );
    known = {
      phrases: turn.talk.rulesOf({ explicit, implicit, possible }),
      asking: new Set(words.asking.map((word) => stemOf(fold(word)))),
      places: new Set(PLACES.map(stemOf).flatMap((stem) => [stem, alike.get(stem) ?? stem])),
      alike,
    };
    compiled.set(turn.talk, known);
  }
  return known;
}
