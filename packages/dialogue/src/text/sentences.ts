import { fold, rewritten, Word, wordsOf, writtenAs } from './words.js';
import { withoutAddress } from './address.js';
import { OPENERS } from './openers.js';
import { asksBehind, asksOfLast } from './pronouns.de.js';
import { isTag, MOST_TAG_WORDS, tagOf } from './tags.js';
import { Terms, TermWeights } from './terms.js';

/** A sentence of a request, ready to be compared. */
export interface Sentence {
  readonly text: string;
  readonly words: readonly Word[];
  readonly terms: TermWeights;
  readonly asks: boolean;
  /** Whether it only asks whether it is right: `…, isn't it?` */
  readonly checks?: boolean;
  /** Whether it tells something, with a question behind it that says but that something is asked. */
  readonly asksFor?: boolean;
  /** Whether it was taken from within another. */
  readonly isPart?: boolean;
  /** Whether it stands between commas. */
  readonly isClause?: boolean;
  /** What stands before it in the request. */
  readonly before?: readonly Sentence[];
}

/** Behind each mark that ends a sentence: not the point of `3.5`. */
const SENTENCE_END = /(?<=[!?…。！？؟।\n]|\.(?!\d))/u;
const QUESTION_MARK = /[?？؟]\s*$/u;
const MOST_SENTENCES = 8;
const MOST_WORDS = 120;

/**
 * The sentences of a request: those at its end if there are many, for there the question is.
 *
 * @param name the avatar's, which says nothing about what is asked
 */
export function sentencesOf(request: string, language: Terms, name = ''): Sentence[] {
  return request
    .split(SENTENCE_END)
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .slice(-MOST_SENTENCES)
    .map((text) => sentenceOf(text, language, name))
    .filter(({ words }) => words.length > 0);
}

/** Sentences that were read before, by language: each turn reads the latest ones of its conversation again. */
const read = new WeakMap<Terms, Map<string, Sentence>>();
const MOST_READ = 300;
const LONGEST_READ = 500;

/** A text as one sentence. */
export function sentenceOf(text: string, language: Terms, name = ''): Sentence {
  if (text.length > LONGEST_READ) return readSentence(text, language, name);
  let known = read.get(language);
  if (!known || known.size >= MOST_READ) read.set(language, (known = new Map()));
  const key = `${name}\n${text}`;
  const sentence = known.get(key) ?? readSentence(text, language, name);
  known.set(key, sentence);
  return sentence;
}

function readSentence(text: string, language: Terms, name: string): Sentence {
  const spoken = withoutAddress(withoutName(rewritten(wordsOf(text, MOST_WORDS), language.rewrites), fold(name)));
  const isMarked = QUESTION_MARK.test(text);
  const tag = tagOf(spoken, isMarked);
  const words = tag === 0 ? spoken : spoken.slice(0, -tag);
  const isInverted = language.language.startsWith('de') && (asksOfLast(words) || asksBehind(words));
  const asks = isMarked || tag > 0 || (language.asks(words) && !exclaims(text, words)) || isInverted;
  return { text, words, terms: language.ofWords(words, asks), asks, checks: tag > 0 };
}

/** Spanish words that a question begins with, and an exclamation. */
const EXCLAIMING: ReadonlySet<string> = new Set('que cuanto cuanta cuantos cuantas como'.split(' '));
const EXCLAMATION = /^¡[^?]*!$/u;
const MOST_EXCLAIMED = 5;

/** "¡Qué bien!", which asks for nothing. */
function exclaims(text: string, words: readonly Word[]): boolean {
  return EXCLAMATION.test(text) && EXCLAIMING.has(words[0]?.text ?? '') && words.length <= MOST_EXCLAIMED;
}

/** The parts between commas of a sentence that has some: in "I'm a vegetarian, what can I cook?" one asks. */
export function clausesOf({ text }: Sentence, language: Terms, name = ''): Sentence[] {
  const parts = text.split(/[,;:]\s/u).filter((part) => part.trim() !== '' && !isTag(wordsOf(part, MOST_TAG_WORDS)));
  return parts.length < 2
    ? []
    : parts.slice(-MOST_SENTENCES).map((part) => ({
        ...sentenceOf(part, language, name),
        isClause: true,
      }));
}

/** What a sentence may begin with that says when, where or with whom, in any language. */
export const PREPOSITIONS: ReadonlySet<string> = new Set(
  (
    'since at in on with after before during for because ' +
    'seit nach bei beim mit auf an am in im vor wegen trotz zu zum zur ' +
    'desde en con a por para tras durante sin antes despues hace'
  ).split(' '),
);
const MOST_OPENING_WORDS = 4;
/** What is left must be about the user, or about everything. */
const FIRST_PERSON = new Set(
  (
    'i me my we us everyone everything ich mich mir wir uns alles alle ' +
    'me mi nos estoy tengo soy siento quiero puedo voy todo todos nada nadie'
  ).split(' '),
);

/** A statement that begins with a preposition, without its first words, the fewest first: `desde ayer estoy triste` as `estoy triste`. */
export function withoutOpening({ text, words, asks }: Sentence, language: Terms): Sentence[] {
  if (asks || !PREPOSITIONS.has(words[0]?.text ?? '')) return [];
  const rests: Sentence[] = [];
  for (let first = 2; first <= MOST_OPENING_WORDS && first < words.length - 1; first++) {
    const rest = words.slice(first);
    if (!rest.some(({ text: word }) => FIRST_PERSON.has(word))) continue;
    rests.push({
      text: text.slice(rest[0]!.start),
      words: rest,
      terms: language.ofWords(rest),
      asks,
    });
  }
  return rests;
}

export const QUESTION_WORDS: ReadonlySet<string> = new Set(
  (
    'why how what where when who whom whose which warum wieso weshalb wie was wo wann wer wen wem wessen wieviel welche welcher welches wohin woher ' +
    'por como que donde adonde cuando quien quienes cual cuanto cuantos cuantas cuanta'
  ).split(' '),
);
/** Tell of a question, in any language. */
const REPORTING: ReadonlySet<string> = new Set(
  (
    'asked asks asking wonder wonders wondering wondered know fragt fragte gefragt fragen wissen frage ' +
    'pregunta preguntan pregunto preguntaba preguntado saber'
  ).split(' '),
);
export const WHETHER: ReadonlySet<string> = new Set(['if', 'whether', 'ob', 'si']);
const MOST_BETWEEN = 3;

/** Whether a statement tells of a question: "he also asked how whales breathe", "I was wondering if …". */
export function reportsQuestion({ words }: Sentence): boolean {
  const at = words.findIndex(({ text }) => REPORTING.has(text));
  const next = words.slice(at + 1, at + 1 + MOST_BETWEEN);
  return at >= 1 && next.some(({ text }) => QUESTION_WORDS.has(text) || WHETHER.has(text));
}

/**
 * Words that ask only behind a word that tells of a question, Spanish ones also with an accent: "when I was sad", "desde que vivo
 * aquí" and "the shop where I work" ask nothing.
 */
const RELATIVE: ReadonlySet<string> = new Set(
  (
    'que como cuando donde adonde quien quienes cual cuanto cuantos cuantas cuanta por ' +
    'when where who whom whose which wo wer wen wem wessen'
  ).split(' '),
);
const KNOWN: ReadonlySet<string> = new Set(
  'se idea dime explica explicame entiendo recuerdo acuerdo aprender ver sabes'.split(' '),
);
const ACCENT = /[áéíóú]/iu;

function asksAt(words: readonly Word[], at: number, text: string): boolean {
  const word = words[at]!;
  // "He wants to know whether sharks sleep."
  if (WHETHER.has(word.text)) return words.slice(Math.max(0, at - 2), at).some((one) => REPORTING.has(one.text));
  if (!QUESTION_WORDS.has(word.text)) return false;
  const spoken = words.slice(at, at + 2);
  return (
    !RELATIVE.has(word.text) ||
    ACCENT.test(writtenAs(text, spoken)) ||
    words.slice(Math.max(0, at - MOST_BETWEEN), at).some((one) => REPORTING.has(one.text) || KNOWN.has(one.text))
  );
}

const ENDS_QUESTION = new Set(['and', 'but', 'und', 'aber', 'y', 'pero']);
const LEAST_EMBEDDED_WORDS = 3;

/** Whether a question begins within a sentence: "my mother has a cold, what helps". */
export function asksWithin({ words, text }: Sentence): boolean {
  return words.some((_, at) => at >= 2 && asksAt(words, at, text));
}

/** The question that a statement tells of: "my son asked me why the sky is blue" as "why the sky is blue". */
export function embeddedIn({ text, words, asks, terms }: Sentence, language: Terms): Sentence[] {
  const at = words.findIndex((_, index) => index >= 2 && asksAt(words, index, text));
  // "Do you know how a radio works?"
  const isAsked = asks && !(terms.shape?.addresses && !QUESTION_WORDS.has(words[0]!.text));
  if (isAsked || at < 0 || words.length - at < LEAST_EMBEDDED_WORDS) return [];
  const end = words.findIndex(({ text: word }, index) => index > at + 2 && ENDS_QUESTION.has(word));
  const rest = words.slice(at, end < 0 ? undefined : end);
  return [
    {
      text: text.slice(rest[0]!.start),
      words: rest,
      terms: language.ofWords(rest, true),
      asks: true,
      isPart: true,
    },
  ];
}

/** Before a name that is asked about, in any language: `who is Ada`, `about Ada`. */
const NAMING = new Set(
  (
    'is are was you about of for to by with than named called and or ' +
    'ist bist war du uber von fur zu mit als heisst und oder ' +
    'es eres era de sobre para por con a que llama llamas y o'
  ).split(' '),
);

const THANKS: ReadonlySet<string> = new Set(['thanks', 'thx', 'cheers', 'danke', 'gracias', 'merci']);

/** Words without the name of the one who is spoken to: `Ada, why …`, `hi Ada`, `…, Ada?`, `thanks Ada`. */
function withoutName(words: readonly Word[], name: string): readonly Word[] {
  const at = words.findIndex(({ text }) => text === name);
  const isSpokenTo =
    at === 0 ||
    (at === 1 && OPENERS.has(words[0]!.text)) ||
    THANKS.has(words[at - 1]?.text ?? '') ||
    (words[at - 1]?.text === 'you' && words[at - 2]?.text === 'thank') ||
    words[at]?.clause !== words[at - 1]?.clause ||
    (words[at]?.clause !== words[at + 1]?.clause && !NAMING.has(words[at - 1]?.text ?? ''));
  return at < 0 || !isSpokenTo || words.length === 1 ? words : words.filter((_, index) => index !== at);
}

const WISHING = ['would', 'like', 'to'];
const WANTING = ['want', 'to'];
/** What is wished for by such a verb is what the sentence is about. */
const TRIES = new Set('try make cook bake know hear learn eat have do see read understand talk'.split(' '));

/** What a wish is about: "I'd like to try focaccia" as "focaccia". */
export function wishedIn({ text, words, asks }: Sentence, language: Terms): Sentence[] {
  const at = words.findIndex((_, index) => standAt(words, index, WISHING) || standAt(words, index, WANTING));
  const from = at < 0 ? at : words.findIndex(({ text: word }, index) => index > at && word === 'to') + 1;
  const rest = from > 0 && TRIES.has(words[from]?.text ?? '') ? words.slice(from + 1) : [];
  if (asks || rest.length === 0) return [];
  const wish = { text: text.slice(rest[0]!.start), words: rest, terms: language.ofWords(rest, true), asks: true };
  return [{ ...wish, isPart: true }];
}

function standAt(words: readonly Word[], at: number, others: readonly string[]): boolean {
  return others.every((other, index) => words[at + index]?.text === other);
}
