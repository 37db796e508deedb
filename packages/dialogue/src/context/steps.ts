import { Reply } from '../turn/choose.js';
import { Rule, RuleSet } from '../match/rules.js';
import { contentOf } from '../text/terms.js';
import { answersOf, sentencesIn } from '../match/answer-sentences.js';
import { Thread, threadOf } from './thread.js';
import { Turn } from '../turn/turn.js';
import { wordsOf } from '../text/words.js';

const AGREES = ['yes', 'ja', 'si'];
/** A request for the next step, in any language: of few words, and one of these. */
const STEPS = new Set('step steps schritt schritte paso pasos'.split(' '));
const MOST_STEP_WORDS = 6;
const MOST_NEXT_WORDS = 3;
const MOST = 0.5;
/** "What comes after kneading?", "was kommt nach dem Formen?" */
const AFTER = new Set('after once nach nachdem tras despues'.split(' '));
const WHAT = new Set('what was que next'.split(' '));
const MOST_NAMED = 2;
/** What must be named of what is asked for. */
const HALF = 0.5;
const PART_END = /[,;] /;
/** What is left of a sentence says little then. */
const SHORT = 40;

/** "Next" goes on with what was told step by step, though something else was asked in between. */
export function nextStep(turn: Turn): Reply | undefined {
  const isStep = asksStep(turn);
  if (!isStep && !isNext(turn)) return undefined;
  const then = threadOf(turn)?.point?.rule.then;
  const next = then && nextIfAgreed(then);
  if (next) return turn.replyFrom(next);
  return isStep && turn.said.history.length > 0 ? turn.builtInReply('no_more', false) : undefined;
}

/** What is told behind what a question names: "what comes after the resting?". */
export function stepAfter(turn: Turn): Reply | undefined {
  const { words, asks, terms } = turn.whole;
  const at = words.findIndex(({ text }) => AFTER.has(text));
  const named = contentOf(turn.knowledge.terms.ofWords(words.slice(at + 1), asks));
  if (!asks || at < 1 || named.length === 0 || named.length > MOST_NAMED || terms.shape?.addresses) return undefined;
  // "Comes" says something too.
  if (!words.slice(0, at).some(({ text }) => WHAT.has(text)) || contentOf(terms).length > named.length + 1)
    return undefined;
  const thread = threadOf(turn);
  const found = thread && nextTo(turn, thread, named);
  return found === undefined ? undefined : { id: thread!.id, answer: found, isAnswered: true };
}

function nextTo({ knowledge }: Turn, { point, texts }: Thread, named: readonly string[]): string | undefined {
  const told = sentencesIn(point ? answersOf(point.topic) : texts);
  const names = (text: string) => {
    const terms = knowledge.terms.of(text);
    return named.filter((term) => terms.has(term)).length >= HALF * named.length;
  };
  const at = told.findIndex(names);
  if (at < 0) return undefined;
  const parts = told[at]!.split(PART_END);
  const left = parts.slice(parts.findIndex(names) + 1).join(', ');
  const next = told[at + 1];
  if (left === '') return next;
  const rest = left.replace(/^./u, (first) => first.toUpperCase());
  return left.length < SHORT && next !== undefined ? `${rest} ${next}` : rest;
}

function isNext({ knowledge, whole }: Turn): boolean {
  const match = knowledge.set('more').best(whole.words, whole.text);
  return (
    match !== undefined &&
    whole.words.length <= MOST_NEXT_WORDS &&
    match.weight / whole.words.length >= (whole.asks ? 1 : MOST)
  );
}

function asksStep({ knowledge, whole: { words, text, terms } }: Turn): boolean {
  return (
    words.length <= MOST_STEP_WORDS &&
    words.some(({ text }) => STEPS.has(text)) &&
    contentOf(terms).length <= MOST_NAMED &&
    !knowledge.set('steps').best(words, text) &&
    !terms.shape?.tells &&
    terms.shape?.kind === undefined
  );
}

/** The follow-up for a user who agrees, in any language. */
export function nextIfAgreed(then: RuleSet): Rule | undefined {
  for (const word of AGREES) {
    const match = then.best(wordsOf(word, 1), word);
    if (match && !match.rule.again) return match.rule;
  }
  return undefined;
}
