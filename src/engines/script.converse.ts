import { choose, HISTORY_CHARACTERS, MOST_WORDS, Reply, Said } from './script.choose.js';
import { CompiledScript } from './script.compile.js';
import { ALL, SOME } from './script.facts.js';
import { followUp, isReply } from './script.follow.js';
import { IntentMatch } from './script.intents.js';
import { Rule } from './script.rules.js';
import { clausesOf, Sentence, sentenceOf, sentencesOf } from './script.sentences.js';
import { contentOf } from './script.terms.js';
import { Turn } from './script.turn.js';
import { rewritten, wordsOf } from './script.words.js';
import { skillReply, tellReply } from './skills/skills.js';

/** From here on an intent answers; from here on if the request is about what needs care, or two fit; and for sure. */
export const THRESHOLD = 0.57;
const CAREFUL_THRESHOLD = 0.72;
const SURE = 0.85;
const MARGIN = 0.03;
/** What counts for a sentence of several: that it asks, and each word that says something. */
const ASKING_BONUS = 0.3;
const WORD_BONUS = 0.04;
const MOST_COUNTED_WORDS = 6;
const CONTINUED_TURNS = 3;
/** From this share of its words on a sentence says little else than a rule's phrase. */
const MOST_OF_IT = 0.6;
const OFFERED_TOPICS = 3;

interface Candidate {
  readonly value: number;
  readonly reply: () => Reply;
}

/** The answer of a script that says honestly what it does not know. */
export function converse(said: Said, script: CompiledScript, others: readonly CompiledScript[], now: number): Reply {
  const turn = new Turn(said, script, others, now);
  return urgent(turn) ?? skillReply(turn, turn.whole) ?? followUp(turn) ?? answer(turn) ?? unknown(turn);
}

/** Danger, in whatever language, then rules that come before everything. */
function urgent(turn: Turn): Reply | undefined {
  const { request } = turn.said;
  const words = wordsOf(request, MOST_WORDS);
  for (const { crisis, rewrites } of [turn.script, ...turn.others]) {
    const match = crisis.best(rewritten(words, rewrites), request);
    if (match) return turn.from(match.rule);
  }
  const match = turn.talk.urgent.best(rewritten(words, turn.script.rewrites), request);
  return match && turn.from(match.rule, match.slots);
}

/** The answer to the sentence that asks most. */
function answer(turn: Turn): Reply | undefined {
  const { terms } = turn.talk;
  const candidatesOf = (some: readonly Sentence[]) => some.flatMap((sentence) => candidateFor(turn, sentence) ?? []);
  const candidates = candidatesOf(sentencesOf(turn.request, terms, turn.said.avatar.name));
  if (candidates.length === 0)
    candidates.push(...candidatesOf([turn.whole, ...clausesOf(turn.whole, terms).filter(asksForSomething)]));
  return candidates.sort((a, b) => b.value - a.value)[0]?.reply();
}

function asksForSomething({ asks, terms }: Sentence): boolean {
  return asks && contentOf(terms).length > 0;
}

function candidateFor(turn: Turn, sentence: Sentence): Candidate | undefined {
  const { talk } = turn;
  const content = contentOf(sentence.terms).length;
  const bonus = (sentence.asks ? ASKING_BONUS : 0) + WORD_BONUS * Math.min(content, MOST_COUNTED_WORDS);
  const candidate = (score: number, reply: () => Reply): Candidate => ({ value: score + bonus, reply });
  const skill = sentence === turn.whole ? undefined : skillReply(turn, sentence);
  if (skill) return candidate(1.2, () => skill);
  const best = talk.intents.best(sentence.terms);
  const told = sentence.asks
    ? undefined
    : (turn.introduction(sentence) ?? talk.slots.best(sentence.words, sentence.text));
  const facts = factsFor(turn, sentence, content, best);
  if (facts.length > 0) return candidate(0.9, () => turn.fact(facts));
  const more = continued(turn, sentence);
  if (more) return candidate(0.8, () => turn.from(more));
  const careful = talk.last.best(sentence.words, sentence.text);
  const isSure = best !== undefined && best.score >= (talk.isIntent(best.rule) ? CAREFUL_THRESHOLD : SURE);
  const kept = sentence.asks || isSure || told?.rule === talk.tellName ? undefined : tellReply(turn, sentence);
  if (kept) return candidate(0.8, () => kept);
  if (best && isMeant(best, thresholdFor(turn, sentence, best, careful !== undefined)) && !(told && best.score < SURE))
    return candidate(best.score, () => turn.from(best.rule));
  if (told) return candidate(0.7, () => turn.from(told.rule, told.slots));
  // By the stems that phrases end in: `thank*`.
  const phrase = turn.script.rules.best(sentence.words, sentence.text);
  if (phrase?.rule.priority === 0 && phrase.weight / sentence.words.length >= MOST_OF_IT)
    return candidate(0.6, () => turn.from(phrase.rule, phrase.slots));
  return careful && candidate(0.6, () => turn.from(careful.rule, careful.slots));
}

/** What a match must reach: more if it is but a rule's phrase, or the request needs care. */
function thresholdFor({ talk }: Turn, { asks }: Sentence, { rule }: IntentMatch, needsCare: boolean): number {
  if (isReply(rule)) return SURE;
  return needsCare || (asks && !talk.isIntent(rule)) ? CAREFUL_THRESHOLD : THRESHOLD;
}

function isMeant({ score, lead }: IntentMatch, threshold: number): boolean {
  return score >= threshold && (score >= threshold + MARGIN || lead >= MARGIN);
}

/** Facts on what a sentence asks to hear about, or on the only thing that it names. */
function factsFor(
  { talk }: Turn,
  { words, text }: Sentence,
  content: number,
  best: IntentMatch | undefined,
): readonly string[] {
  if (talk.facts.size === 0 || (best && talk.isIntent(best.rule) && best.score >= SURE)) return [];
  const topic = talk.set('about').best(words, text)?.slots.about;
  const isBare = words.length <= content + 2;
  const offered = (topic || isBare) && talk.topics.find((one) => text.toLowerCase().includes(one.toLowerCase()));
  const found = offered ? talk.facts.about(offered, SOME) : topic ? talk.facts.about(topic) : [];
  if (found.length > 0) return found;
  if (talk.set('fact').best(words, text) && content <= 3) return talk.facts.all();
  const isTaken = best && best.score >= (talk.isIntent(best.rule) ? THRESHOLD : SURE);
  return isBare && content <= 3 && !isTaken ? talk.facts.about(text, ALL) : [];
}

/** "And the sun?" after "How far is the moon?": the intent that both together mean, if it is another one. */
function continued({ said, talk }: Turn, sentence: Sentence): Rule | undefined {
  const wanted = contentOf(sentence.terms);
  if (wanted.length === 0 || wanted.length > 2 || sentence.words.length > 6) return undefined;
  if (!talk.set('continue').best(sentence.words, sentence.text)) return undefined;
  for (const { request } of said.history.slice(-CONTINUED_TURNS).toReversed()) {
    const { terms } = sentenceOf(request.slice(0, HISTORY_CHARACTERS), talk.terms);
    const previous = talk.intents.best(terms);
    if (!previous || previous.score < THRESHOLD || !talk.isIntent(previous.rule)) continue;
    const asked = new Map([...terms, ...wanted.map((term) => [term, 1] as const)]);
    const best = talk.intents.bestNaming(asked, wanted, previous.rule);
    return best && best.score >= THRESHOLD ? best.rule : undefined;
  }
  return undefined;
}

/** An honest answer that offers topics, other ones than the last answers did. */
function unknown({ talk, said, seed, whole }: Turn): Reply {
  const lately = said.history.slice(-3).map(({ answer: text }) => text);
  const fresh = talk.topics.filter((topic) => !lately.some((text) => text.includes(topic)));
  const offer = fresh.length >= OFFERED_TOPICS ? fresh : talk.topics;
  const step = Math.max(1, Math.floor(offer.length / OFFERED_TOPICS));
  const chosen = Array.from({ length: OFFERED_TOPICS }, (_, index) => offer[(seed + index * step) % offer.length]!);
  const known = offer.length > 0 ? { topics: talk.terms.oneOf([...new Set(chosen)]) } : {};
  const answers = whole.asks ? talk.unknown : talk.heard;
  return { id: 'unknown', answer: choose(answers, said, known as Record<string, string>), isAnswered: false };
}
