import { Reply } from '../turn/choose.js';
import { OPENERS } from '../text/openers.js';
import { Rule } from '../match/rules.js';
import { QUESTION_WORDS, Sentence, sentencesOf } from '../text/sentences.js';
import { Terms } from '../text/terms.js';
import { ASKS_FOR_SLOT, CAREFUL_THRESHOLD, SURE } from '../match/scores.js';
import { Turn } from '../turn/turn.js';
import { fold, wordsOf } from '../text/words.js';
import { ALL, Alike, asksNext, bestFor, EXPLICIT, IMPLICIT, Statement, statementsOf } from './recollect.find.js';
import { Kind, kindAsked } from './recollect.fits.js';
import { RECOLLECT_WORDS } from './recollect.words.js';
import { languageOf, oneOf, skillAnswer } from './skill.js';

const MOST_WORDS = 14;
const MOST_LOOKED_AT = 60;
const MOST_CHARACTERS = 240;
/** Kinds of questions that are for advice. */
const OTHER_KINDS = new Set(['why', 'way', 'works', 'safe', 'choice', 'far', 'size', 'weight', 'speed', 'heat']);
const ADVISES = new Set(
  'should can could would shall may might soll sollte kann konnte darf muss puedo podria debo deberia deberiamos'.split(
    ' ',
  ),
);
const LEAST_SAME_WORDS = 2;
/** What may stand before the question word: `and in which …`. */
const MOST_BEFORE = 3;
const NAMES = /heiß|heiss|nenn|namens|called|named|name is|llama|nombre/iu;

/** Kinds of answers that people ask for again. */
const HOW = new Set(['how', 'wie', 'como']);
const RECALLED: ReadonlySet<Kind | undefined> = new Set(['where', 'when', 'age', 'many', 'duration', 'who', 'name']);
/** Spanish verbs of the user that need no `yo`. */
const OWN_VERBS = new Set(
  (
    'vivo viajo salgo juego vuelo llevo trabajo estudio vengo voy hago duermo quedo toco busco aprendo empiezo vuelvo queria ' +
    'tenia era fui estaba iba somos comemos quedamos vamos salimos viajamos vivimos llevamos jugamos conoci compre empece llegue puse adopte nos me'
  ).split(' '),
);
const PAST: Readonly<Record<string, ReadonlySet<string>>> = {
  en: new Set(['did', 'was', 'were', 'had']),
  de: new Set(['hatte', 'hatten', 'war', 'waren']),
  es: OWN_VERBS,
};

/** By the language, for all its scripts. */
const compiled = new WeakMap<Terms, Alike>();

/** Quotes what the user said, if they ask for it; says honestly that it finds nothing, and never that nothing was told. */
export function recollect(turn: Turn, sentence: Sentence): Reply | undefined {
  const known = compiledFor(turn);
  if (!known || sentence.words.length > MOST_WORDS || turn.said.history.length === 0) return undefined;
  const found = known.phrases.best(sentence.words, sentence.text)?.rule.id;
  const isAdvice = found !== 'explicit' && known.advice.best(sentence.words, sentence.text) !== undefined;
  const asked = isAdvice && found ? 'possible' : found;
  // "What? That's not good, they laugh at me!" is asked by its sentences.
  const isSeveral = sentence === turn.whole && sentencesOf(turn.request, turn.knowledge.terms).length > 1;
  if (isSeveral && asked !== 'explicit') return undefined;
  const { shape } = sentence.terms;
  // "How old are you?"
  if (asked !== 'explicit' && shape?.addresses) return undefined;
  // "I never told her that."
  if (asked === 'explicit' && shape?.tells && !sentence.asks) return undefined;
  const kind = asked ?? (!isAdvice && mayRecall(sentence) ? 'possible' : undefined);
  const isOwn = isOwnQuestion(sentence);
  const whom = kind === undefined || kind === 'possible' ? whoseWords(turn, sentence, known) : undefined;
  if (whom) return quoted(turn, whom.text);
  if (!kind && !isOwn) return undefined;
  const best = turn.knowledge.intents.best(sentence.terms);
  const slot =
    isOwn && best && best.score >= ASKS_FOR_SLOT && best.rule.id.startsWith('ask_my_') ? best.rule : undefined;
  if (slot && knows(turn, slot)) return turn.replyFrom(slot);
  if (!slot && (!kind || (kind !== 'explicit' && !sentence.asks))) return undefined;
  if (kind === 'explicit' && best && best.score >= SURE && !slot) return undefined;
  const isAboutUser = isOwn || shape?.addresses === true;
  const isOfKind = !shape?.kind || best?.example.shape?.kind === shape.kind;
  const isKnown =
    best !== undefined && turn.knowledge.isIntent(best.rule) && best.score >= (isOfKind ? CAREFUL_THRESHOLD : SURE);
  // "And on which day?"
  const isNext = asksNext(sentence) && OPENERS.has(sentence.words[0]!.text);
  if (kind === 'possible' && !isAboutUser && isKnown && !isNext) return undefined;
  const said = bestFor(turn, sentence, known, leastFor(turn, sentence, kind));
  if (said) return quoted(turn, said.text);
  // "What was the difference between an acid and a base again?"
  if (kind === 'possible' || !isAboutUser || (best && best.score >= SURE && !slot)) return undefined;
  return nothingFound(turn);
}

/** What an answer must have of what a question names: all, but less of what was asked for in so many words, or is past. */
function leastFor(turn: Turn, sentence: Sentence, kind: string | undefined): number {
  if (kind === 'explicit') return EXPLICIT;
  const isPast = sentence.words.some(({ text }) => PAST[languageOf(turn)]?.has(text));
  return kind === 'possible' && !(isPast && isOwnQuestion(sentence)) ? ALL : IMPLICIT;
}

/** "What does my brother do?", "which day is the picnic?", but not "why does my brother …", "what should I …" or "am I …?". */
function mayRecall(sentence: Sentence): boolean {
  const { asks, terms, words: spoken } = sentence;
  const { shape } = terms;
  const isWhich = shape?.kind === 'choice' && RECALLED.has(kindAsked(sentence));
  const isOther = shape?.kind && OTHER_KINDS.has(shape.kind) && !isWhich;
  if (!asks || isOther || shape?.addresses || spoken.some(({ text }) => ADVISES.has(text))) return false;
  if (!spoken.slice(0, MOST_BEFORE).some(({ text }) => isQuestionWord(text))) return false;
  const kind = kindAsked(sentence);
  return (
    RECALLED.has(kind) || (isOwnQuestion(sentence) && !spoken.slice(0, MOST_BEFORE).some(({ text }) => HOW.has(text)))
  );
}

function isOwnQuestion({ terms, words: spoken, asks }: Sentence): boolean {
  return terms.shape?.isOwn === true || (asks && spoken.some(({ text }) => OWN_VERBS.has(text)));
}

function isQuestionWord(text: string): boolean {
  return QUESTION_WORDS.has(text) || text.startsWith('wievielt') || text.startsWith('welche');
}

/** What someone said who used the same words as a question for who it is: "who never cleans?". */
function whoseWords(turn: Turn, { words, terms, asks }: Sentence, known: Alike): Statement | undefined {
  if (terms.shape?.kind !== 'who' || terms.shape.addresses || terms.shape.isOwn || !asks) return undefined;
  const at = words.findIndex(({ text }) => QUESTION_WORDS.has(text));
  const { stemOf } = turn.knowledge.terms;
  const rest = words.slice(at + 1).filter(({ text }) => !known.asking.has(stemOf(text)));
  if (at > 1 || rest.length < LEAST_SAME_WORDS) return undefined;
  return statementsOf(turn, known).findLast((statement) => {
    const said = new Set(statement.words.map(({ text }) => stemOf(text)));
    return !statement.asks && rest.every(({ text }) => said.has(stemOf(text)));
  });
}

/** Whether a rule's slots are known, so that it can answer. */
function knows(turn: Turn, rule: Rule): boolean {
  const { answer } = turn.replyFrom(rule);
  return !rule.answers.includes(answer);
}

/** An honest answer to a question for what was said, where nothing is found. */
function nothingFound(turn: Turn): Reply | undefined {
  const texts = turn.knowledge.replies('not_recalled');
  return texts.length > 0 ? { ...skillAnswer('recollect_none', oneOf(turn, texts)), isNothing: true } : undefined;
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
  const texts = turn.knowledge.replies('recalled');
  const said = turn.knowledge.terms.dated(text.slice(0, MOST_CHARACTERS));
  return texts.length > 0
    ? skillAnswer(
        'recollect',
        oneOf(turn, texts).replace('{text}', () => said),
      )
    : undefined;
}

function compiledFor(turn: Turn): Alike | undefined {
  const words = RECOLLECT_WORDS[languageOf(turn)];
  if (!words) return undefined;
  let known = compiled.get(turn.knowledge.terms);
  if (!known) {
    const { stemOf } = turn.knowledge.terms;
    const { explicit, implicit, possible, advice } = words;
    const alike = new Map(
      words.alike.flatMap((group) => group.map((word) => [stemOf(fold(word)), stemOf(fold(group[0]!))])),
    );
    known = {
      phrases: turn.knowledge.rulesOf({ explicit, implicit, possible }),
      advice: turn.knowledge.rulesOf({ advice }),
      asking: new Set(words.asking.map((word) => stemOf(fold(word)))),
      alike,
    };
    compiled.set(turn.knowledge.terms, known);
  }
  return known;
}
