import { withParts } from '../text/compounds.js';
import { IntentMatch } from '../match/intent-index.js';
import { pointingIn } from './pointing.js';
import { Rule } from '../match/rules.js';
import { Sentence } from '../text/sentences.js';
import { Shape } from '../text/shape.js';
import { isContinuation, subjectOf } from './subject.js';
import { contentOf, saysOf, TermWeights } from '../text/terms.js';
import { MEASURING } from '../match/answer-sentences.js';
import { THE_SAME, WITH_EARLIER, WITH_ONE_EARLIER, WORD_FOR_WORD } from '../match/scores.js';
import { Turn } from '../turn/turn.js';
import { isSimilar } from '../text/typos.js';

const MOST_WORDS = 9;
const MOST_CONTENT = 3;
const MOST_POINTING = 2;
const MOST_REPLACED = 3;
const MOST_ELLIPTICAL_WORDS = 6;
const MOST_SHORT_WORDS = 7;
/** Kinds of questions whose first words say what is measured, and nothing of what. */
export const MEASURES: ReadonlySet<string> = new Set('far size weight speed heat duration age'.split(' '));

/**
 * How a sentence hangs on what was said before: `continues` as in "and the sun?", `points` as in "is it hot?", `short`
 * if it may, as in "how hot?"; it `implies` what it is about where that is left out: `cuántas lunas tiene`.
 */
export type ContextLink = 'continues' | 'points' | 'implies' | 'short';

export function contextLinkOf(turn: Turn, sentence: Sentence): ContextLink | undefined {
  const { words, text, terms, asks } = sentence;
  if (words.length > MOST_WORDS || (turn.said.history.length === 0 && !sentence.before)) return undefined;
  const content = contentOf(terms).length;
  const { shape } = terms;
  if (turn.knowledge.set('continue').best(words, text))
    if (content <= MOST_POINTING && words.length <= MOST_ELLIPTICAL_WORDS && !shape?.addresses)
      return asks ? 'continues' : 'short';
  if (!asks || content > MOST_POINTING) return undefined;
  if (pointsBack(turn, sentence)) return turn.knowledge.set('pointing').best(words, text) ? 'points' : 'implies';
  return words.length <= MOST_SHORT_WORDS && !shape?.addresses ? 'short' : undefined;
}

/**
 * The intent that a sentence means together with what was asked before, if it is another one: "and the sun?" after
 * "How far is the moon?", "how old is it?" after "How big is the universe?".
 *
 * @param least what an intent must score
 * @param best what the sentence means by itself
 */
export function continued(turn: Turn, sentence: Sentence, least: number, best?: IntentMatch): Rule | undefined {
  const { knowledge } = turn;
  const wanted = contentOf(sentence.terms);
  if (wanted.length === 0 || wanted.length > MOST_CONTENT || sentence.words.length > MOST_WORDS) return undefined;
  const continues = knowledge.set('continue').best(sentence.words, sentence.text) !== undefined;
  const hanging = contextLinkOf(turn, sentence);
  if (!continues && !hanging) return undefined;
  if (best && best.score >= WORD_FOR_WORD && best.lead > 0 && wanted.length > 0 && !isContinuation(turn, sentence))
    return undefined;
  const alone = best && (!continues || saysOf(sentence.terms) > 1) ? best.score : 0;
  const bar = Math.max(continues ? least : WITH_EARLIER, alone);
  const before = earlier(turn, sentence, continues);
  const latest = before.find((one) => !one.topic)?.terms;
  for (const { terms, topic } of before) {
    const previous = topic ? undefined : knowledge.intents.best(terms);
    const isKnown = previous !== undefined && previous.score >= least && knowledge.isIntent(previous.rule);
    if (!isKnown && !topic && (continues || contentOf(terms).length === 0)) continue;
    const besides = isKnown ? previous.rule : topic;
    const own = continues ? best?.rule : undefined;
    const asked = variantsOf(terms, sentence.terms, isKnown);
    const both = bestOf(
      asked.map((one) => knowledge.intents.bestNaming(one, wanted, contentOf(terms), { besides, own })),
    );
    if (both && both.score >= bar && knowledge.isIntent(both.rule)) return both.rule;
    // "Why do they explode?" may be an example of what answered last.
    const same = besides && bestOf(asked.map((one) => knowledge.intents.bestNaming(one, wanted, contentOf(terms))));
    if (same && same.rule === besides && same.score >= Math.max(bar, WITH_ONE_EARLIER)) return same.rule;
    // "I must give a talk on volcanoes": each of its words may be what is meant by "how do they form?".
    const others = contentOf(terms).filter((term) => !wanted.includes(term));
    const each = !continues && terms === latest ? others.slice(0, MOST_REPLACED) : [];
    const one = bestOf(
      each.map((term) => knowledge.intents.bestNaming(together(new Map([[term, 1]]), sentence.terms), wanted, [term])),
    );
    if (one && one.score >= Math.max(bar, WITH_ONE_EARLIER) && knowledge.isIntent(one.rule)) return one.rule;
    if (isKnown) return undefined;
  }
  return undefined;
}

/** What was said before a sentence: `topic` is the intent that answered last. */
interface Earlier {
  readonly terms: TermWeights;
  readonly topic?: Rule;
}

/**
 * What a sentence may hang on: those before it in the request, what the last answer is about, earlier requests, the
 * last first, but no questions that hang on others themselves, as in `and how hot?`.
 */
function earlier(turn: Turn, { before = [] }: Pick<Sentence, 'before'>, continues: boolean): readonly Earlier[] {
  const requests = turn.requests.filter((request) => !isElliptical(turn, request));
  const topic = lastTopic(turn);
  return [...before.toReversed(), ...(continues ? [...requests, ...topic] : [...topic, ...requests])];
}

function lastTopic(turn: Turn): Earlier[] {
  const { knowledge, said } = turn;
  const last = said.history.at(-1);
  const topic = last && turn.pointAfter(last.answer)?.topic;
  if (!topic || !knowledge.isIntent(topic)) return [];
  const terms = new Map([...knowledge.passages.topicsOf(topic)].map((term) => [term, 1]));
  return terms.size > 0 ? [{ terms, topic }] : [];
}

function isElliptical({ knowledge }: Turn, { words, text, terms, asks }: Sentence): boolean {
  const content = contentOf(terms);
  const names = content.filter((term) => !MEASURING.has(term)).length;
  if (names === 0) return true;
  // "How far is it to the moon?" names the moon.
  return asks && names === 1 && content.length === 1 && pointingIn(knowledge, { words, text }) !== undefined;
}

/**
 * What was asked with what is added to it, and with that instead of each word of it. It is a question of the kind of the
 * last that names one.
 */
function variantsOf(before: TermWeights, added: TermWeights, isKnown: boolean): TermWeights[] {
  // "How hot?" says nothing that could stand instead of what was named.
  const isMeasure =
    isKnown && added.shape?.kind !== undefined && MEASURES.has(added.shape.kind) && contentOf(added).length <= 1;
  const without = isMeasure
    ? []
    : contentOf(before)
        .filter((term) => !MEASURING.has(term))
        .slice(0, MOST_REPLACED);
  const kept = [before, ...without.map((left) => new Map([...before].filter(([term]) => term !== left)))];
  return kept.map((some) => together(some, added, before.shape));
}

/** Terms with what is added to them. */
function together(some: ReadonlyMap<string, number>, added: TermWeights, before?: Shape): TermWeights {
  const said = before ?? added.shape;
  const shape = said && {
    ...said,
    kind: added.shape?.kind ?? before?.kind,
    isNegated: Boolean(added.shape?.isNegated ?? before?.isNegated),
    asks: true,
    tells: false,
  };
  const terms = new Map(some);
  for (const term of contentOf(added)) terms.set(term, 1);
  return Object.assign(terms, { shape });
}

function bestOf(matches: readonly (IntentMatch | undefined)[]): IntentMatch | undefined {
  return matches.reduce((one, other) => ((other?.score ?? 0) > (one?.score ?? 0) ? other : one), undefined);
}

/**
 * Whether an intent is about something that a question leaves out, and that was not talked about: "which is the biggest?"
 * is about the biggest star only behind one on stars.
 */
export function leavesOut(turn: Turn, { asks, terms }: Sentence, { example, score, topics }: IntentMatch): boolean {
  const content = contentOf(terms);
  if (!asks || score >= THE_SAME || turn.said.history.length === 0 || terms.shape?.addresses) return false;
  if (content.length === 0 || content.length > MOST_POINTING) return false;
  if (topics.length === 0 && content.length > 1) return false;
  const { intents, terms: language } = turn.knowledge;
  const said = withParts(terms, language, (term) => intents.knows(term));
  const isNamed = (term: string) => said.has(term) || terms.has(term) || content.some((one) => isSimilar(term, one));
  if (topics.some((term) => !MEASURING.has(term) && isNamed(term))) return false;
  const missing = example.content().filter((term) => !isNamed(term));
  const subject = missing.length > 0 ? subjectOf(turn).terms : undefined;
  return subject !== undefined && ![...missing, ...content].some((term) => subject.has(term));
}

/**
 * The intent of a question that names nothing, about what was told just before, "what do I do with them?", or asked: "how
 * big is it?".
 */
export function withSubject(turn: Turn, { terms }: Sentence): Rule | undefined {
  const [told] = turn.requests;
  const { kind } = terms.shape ?? {};
  if (told && !told.asks)
    return contentOf(told.terms).length > 0 ? meantWith(turn, told.terms, terms)?.rule : undefined;
  if (kind === undefined) return undefined;
  for (const { terms: subject, topic } of earlier(turn, { before: [] }, false)) {
    const named = new Map(contentOf(subject).flatMap((term) => (MEASURING.has(term) ? [] : [[term, 1] as const])));
    if (named.size === 0) continue;
    const best = meantWith(turn, named, terms);
    if (best && best.rule !== topic && best.example.shape?.kind === kind) return best.rule;
    if (!topic) return undefined;
  }
  return undefined;
}

function meantWith({ knowledge }: Turn, subject: TermWeights, terms: TermWeights): IntentMatch | undefined {
  const both = Object.assign(new Map([...subject, ...terms]), { shape: terms.shape });
  const best = knowledge.intents.best(both);
  return best && best.score >= WITH_EARLIER && knowledge.isIntent(best.rule) ? best : undefined;
}

/** Whether a sentence names what it is about by a word such as `it`. */
export function pointsBack({ knowledge }: Turn, { words, text, terms }: Sentence): boolean {
  return contentOf(terms).length <= MOST_POINTING && pointingIn(knowledge, { words, text }) !== undefined;
}
