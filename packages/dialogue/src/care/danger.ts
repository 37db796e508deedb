import { MOST_WORDS, Reply } from '../turn/choose.js';
import { CompiledScript } from '../script/compiled.js';
import { isExample } from '../context/exact.js';
import { wantsToKnow } from '../context/needed-score.js';
import { Match, Rule, RuleSet } from '../match/rules.js';
import { THE_SAME, WORD_FOR_WORD } from '../match/scores.js';
import { Turn } from '../turn/turn.js';
import { isSlip } from '../text/typos.js';
import { rewritten, Word, wordsOf } from '../text/words.js';

/** From this length on a word may have a typing error. */
const LEAST_LETTERS = 5;
/** The rules of every language that has rules for danger. */
const ANY_DANGER = ['emergency', 'crisis'];

/** Danger, in whatever language, then rules that come before everything. */
export function emergencyReply(turn: Turn): Reply | undefined {
  const danger = dangerIn(turn);
  if (danger) return turn.replyFrom(danger);
  const { request } = turn.said;
  const words = rewritten(wordsOf(request, MOST_WORDS), turn.script.rewrites);
  const match = isSame(turn) ? undefined : turn.knowledge.urgent.best(words, request);
  return match && turn.replyFrom(match.rule, match.slots);
}

/** What is said to danger in whatever language, in the language of the turn: for those that otherwise ask a model. */
export function dangerReply(turn: Turn): Reply | undefined {
  const danger = dangerIn(turn);
  if (!danger) return undefined;
  const known = turn.script.crisis.all;
  const ids = [danger.id, ...ANY_DANGER];
  return turn.replyFrom(ids.flatMap((id) => known.find((rule) => rule.id === id) ?? [])[0] ?? danger);
}

/** The rule for the danger that a request tells of, in whatever language. */
function dangerIn(turn: Turn): Rule | undefined {
  const { request } = turn.said;
  const spoken = wordsOf(request, MOST_WORDS);
  const words = rewritten(spoken, turn.script.rewrites);
  // What is no danger in the language that is spoken is none in another.
  const isNone = () => ['no_crisis', 'no_danger'].some((name) => turn.knowledge.set(name).best(words, request));
  const isKnownAnyway = (script: CompiledScript) => isKnown(turn) || (script !== turn.script && isNone());
  const unknown = unknownWords(turn, words);
  for (const read of [exactly, misspelt]) {
    for (const script of [turn.script, ...turn.others]) {
      const match = read(script, spoken, request, unknown);
      if (match && isKnownAnyway(script)) break;
      if (match) return match.rule;
    }
  }
  return undefined;
}

/** Whether a question for knowledge stands among the examples: "why do birds not get electrocuted on power lines?" */
function isKnown(turn: Turn): boolean {
  const { knowledge, whole } = turn;
  if (!wantsToKnow(turn, whole)) return false;
  const best = knowledge.intents.best(whole.terms);
  return best !== undefined && best.score >= THE_SAME && !best.isGeneral && knowledge.isIntent(best.rule);
}

/** Whether a request is an example of an intent of the script, word for word. */
function isSame(turn: Turn): boolean {
  const best = turn.knowledge.intents.best(turn.whole.terms);
  return best !== undefined && best.score >= WORD_FOR_WORD && isExample(turn, turn.whole, best);
}

/** Danger in words of a language. */
function exactly({ crisis, rewrites }: CompiledScript, spoken: readonly Word[], request: string): Match | undefined {
  return crisis.best(rewritten(spoken, rewrites), request);
}

/** Danger in words of a language, of which those that nobody knows have a slip of the keys: another letter makes another word. */
function misspelt(
  { crisis, rewrites }: CompiledScript,
  spoken: readonly Word[],
  request: string,
  unknown: ReadonlySet<string>,
): Match | undefined {
  if (unknown.size === 0) return undefined;
  let isChanged = false;
  const read = rewritten(spoken, rewrites).map((word) => {
    const isMeant = unknown.has(word.text) && !crisis.vocabulary.has(word.text);
    const meant = isMeant ? nearest(crisis, word.text) : undefined;
    isChanged ||= meant !== undefined;
    return meant ? { ...word, text: meant } : word;
  });
  return isChanged ? crisis.best(read, request) : undefined;
}

/** The words of a request that neither the intents nor the danger of its language know. */
function unknownWords({ script, knowledge }: Turn, words: readonly Word[]): ReadonlySet<string> {
  const isUnknown = ({ text }: Word) =>
    text.length >= LEAST_LETTERS &&
    !script.crisis.vocabulary.has(text) &&
    !knowledge.intents.knows(knowledge.terms.stemOf(text));
  return new Set(words.filter(isUnknown).map(({ text }) => text));
}

function nearest({ vocabulary }: RuleSet, text: string): string | undefined {
  for (const word of vocabulary)
    if (word[0] === text[0] && word.length >= LEAST_LETTERS && isSlip(text, word)) return word;
  return undefined;
}
