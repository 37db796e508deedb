import { amountOf } from './amounts.js';
import { oneNotAmong, Reply } from '../turn/choose.js';
import { ALL } from '../match/fact-book.js';
import { nextIfAgreed } from './steps.js';
import { Passage } from '../match/passages.js';
import { pointingIn } from './pointing.js';
import { Rule } from '../match/rules.js';
import { Sentence } from '../text/sentences.js';
import { contentOf, TermWeights } from '../text/terms.js';
import { moreOfThing } from './last-thing.js';
import { INSTRUCTIONS, NUMBERS, REASON, saysKind, sentenceThat } from '../match/answer-sentences.js';
import { CAREFUL_THRESHOLD, WORD_FOR_WORD } from '../match/scores.js';
import { Turn } from '../turn/turn.js';

/** How far back the subject may have been named. */
const SUBJECT_TURNS = 3;
const MOST_WORDS = 40;
/** The share of a request that such a phrase covers. */
const WHOLE = 0.6;
/** A request for another thing than its words alone, such as `why do you ask` */
const MOST_CONTENT = 1;
const MOST_ASKING_WORDS = 10;
const MOST_ASIDE_WORDS = 4;
/** From so many words on an example of words that say little is one. */
const LONG_EXAMPLE = 4;
/** Kinds of questions that a text which only names the same may not answer. */
const UNFIT = new Set(['way', 'safe', 'who', 'choice']);

/** What was talked about last. */
export interface Subject {
  /** What answered last, if it is something that the avatar knows. */
  readonly rule?: Rule;
  readonly terms: ReadonlySet<string>;
  readonly request?: TermWeights;
}

/** The subject of the last turns: what the user named last, and what that which answered is about. */
export function subjectOf(turn: Turn): Subject {
  const { knowledge, said } = turn;
  const topic = said.history.length > 0 ? turn.pointAfter(said.history.at(-1)!.answer)?.topic : undefined;
  const rule = topic && knowledge.isIntent(topic) ? topic : undefined;
  const terms = new Set<string>(rule ? knowledge.passages.topicsOf(rule) : []);
  let request: TermWeights | undefined;
  for (const sentence of turn.requests.slice(0, SUBJECT_TURNS)) {
    const content = contentOf(sentence.terms);
    content.forEach((term) => terms.add(term));
    // "Is it hot?" is about what was named before it.
    if (content.length === 0 || isContinuation(turn, sentence)) continue;
    request = sentence.terms;
    break;
  }
  return { rule, request, terms };
}

/** Whether a sentence says itself that it goes on. */
export function isContinuation({ knowledge }: Turn, sentence: Sentence): boolean {
  return (
    knowledge.set('continue').best(sentence.words, sentence.text) !== undefined ||
    pointingIn(knowledge, sentence) !== undefined
  );
}

/** An answer to a request that is about the last answer itself: why, more of it, simpler, how it is done, how long. */
export function aboutLast(turn: Turn): Reply | undefined {
  const { knowledge, said, whole } = turn;
  if (said.history.length === 0) return undefined;
  const best = knowledge.intents.best(whole.terms);
  // What stands as an example is no request about the last answer.
  const isLong = contentOf(whole.terms).length > 0 || isLongExample(turn, best);
  if (best && best.score >= WORD_FOR_WORD && isLong && knowledge.isIntent(best.rule)) return amountOf(turn);
  return why(turn) ?? more(turn) ?? simpler(turn) ?? steps(turn) ?? amountOf(turn);
}

/** Whether a request of words that say little is an example all the same: "why do they do that". */
function isLongExample({ knowledge, whole }: Turn, best = knowledge.intents.best(whole.terms)): boolean {
  return (
    best !== undefined &&
    best.score >= WORD_FOR_WORD &&
    best.lead > 0 &&
    !best.isGeneral &&
    whole.words.length >= LONG_EXAMPLE &&
    !NUMBERS.has(whole.terms.shape?.kind ?? '')
  );
}

function why(turn: Turn): Reply | undefined {
  const { whole, knowledge } = turn;
  if (!asksWhy(turn) || contentOf(whole.terms).length > 0) return undefined;
  const { rule, request } = subjectOf(turn);
  const reasons =
    request &&
    knowledge.intents.bestNaming(withKind(request, 'why'), contentOf(request), contentOf(request), { besides: rule });
  if (reasons && reasons.score >= CAREFUL_THRESHOLD && reasons.rule.answers.some((answer) => REASON.test(answer)))
    return turn.replyFrom(reasons.rule);
  return reasonIn(turn) ?? turn.builtInReply('why_unknown', false);
}

/** An honest answer to a question for a reason that names little but `it`. */
export function unknownReason(turn: Turn): Reply | undefined {
  return turn.said.history.length > 0 && asksWhy(turn) ? turn.builtInReply('why_unknown', false) : undefined;
}

function asksWhy(turn: Turn): boolean {
  const { whole, knowledge } = turn;
  const { kind, addresses } = whole.terms.shape ?? {};
  const content = contentOf(whole.terms).length;
  if (!says(turn, 'why') || content > MOST_CONTENT || addresses) return false;
  const points =
    kind === 'why' ? pointingIn(knowledge, whole) : knowledge.set('pointing').best(whole.words, whole.text);
  return content === 0 || points !== undefined;
}

/** The reason that the last answer gives, or another answer of the same intent. */
function reasonIn(turn: Turn): Reply | undefined {
  const { knowledge, said, whole } = turn;
  const last = said.history.at(-1)!.answer;
  const point = turn.pointAfter(last);
  if (contentOf(whole.terms).length > 0 || !point || !knowledge.isIntent(point.topic)) return undefined;
  const told = new Set(said.history.map(({ answer }) => answer));
  const others = [...point.rule.answers, ...point.topic.answers].filter((answer) => !told.has(answer));
  const found = sentenceThat([last, ...others], (text) => REASON.test(text));
  return found === undefined ? undefined : { id: point.topic.id, answer: found, isAnswered: true };
}

function more(turn: Turn): Reply | undefined {
  if (!says(turn, 'more') || turn.whole.terms.shape?.addresses) return undefined;
  if (contentOf(turn.whole.terms).length > 0) return undefined;
  const { rule, request, terms } = subjectOf(turn);
  if (!rule) return undefined;
  const next = agreed(turn, rule);
  if (next) return next;
  const before = new Set(turn.said.history.map(({ answer }) => answer));
  const fresh = rule.answers.filter((answer) => !before.has(answer) && !answer.includes('{'));
  if (fresh.length > 0) return { id: rule.id, answer: oneNotAmong([], fresh, turn.seed), isAnswered: true };
  const named = request ? contentOf(request).join(' ') : [...terms].join(' ');
  const facts = turn.knowledge.facts.about(named).filter((fact) => !before.has(fact));
  return facts.length > 0 ? turn.fact(facts) : (moreOfThing(turn) ?? turn.builtInReply('no_more', false));
}

function simpler(turn: Turn): Reply | undefined {
  const { whole, knowledge } = turn;
  const isAsked = whole.words.length <= MOST_ASKING_WORDS && knowledge.set('simpler').best(whole.words, whole.text);
  return isAsked ? turn.builtInReply('no_simpler', false) : undefined;
}

/** How that is done which was suggested. */
function steps(turn: Turn): Reply | undefined {
  const { knowledge, said, whole } = turn;
  if (!knowledge.set('steps').best(whole.words, whole.text) || contentOf(whole.terms).length > MOST_CONTENT + 1)
    return undefined;
  // "Meatballs, how are they made?"
  if (whole.terms.shape?.kind === 'works' || knowledge.things?.namesIn(whole.words).length) return undefined;
  const { rule } = subjectOf(turn);
  const { answer } = said.history.at(-1)!;
  if (!rule && !isFact(turn, answer)) return undefined;
  const next = rule && agreed(turn, rule);
  if (next) return next;
  const kind = 'way';
  const terms = new Map([...knowledge.terms.of(answer), ...whole.terms]);
  const shape = { ...whole.terms.shape!, kind, asks: true, tells: false };
  const found = INSTRUCTIONS.test(answer)
    ? undefined
    : knowledge.intents.within(Object.assign(terms, { shape }), kind, rule);
  if (found) return turn.replyFrom(found);
  return turn.builtInReply('no_steps', false);
}

/** What follows a rule's answer if the user agrees. */
function agreed(turn: Turn, rule: Rule): Reply | undefined {
  const point = turn.pointAfter(turn.said.history.at(-1)!.answer);
  const then = point?.topic === rule ? point.rule.then : undefined;
  const next = then && nextIfAgreed(then);
  return next && turn.replyFrom(next);
}

/** What the avatar knows of the running subject that says what a question asks. */
export function passageFor(turn: Turn, sentence: Sentence): Reply | undefined {
  const wanted = contentOf(sentence.terms);
  // One word may be chance.
  if (wanted.length < 2) return undefined;
  const kind = sentence.terms.shape?.kind;
  if (kind !== undefined && UNFIT.has(kind)) return undefined;
  const passage = saying(turn, wanted).find(({ text }) => saysKind(text, kind));
  return passage && told(turn, passage);
}

/** What the avatar knows that says all that a question names, if nothing else answers it. */
export function knownOf(turn: Turn): Reply | undefined {
  const { whole } = turn;
  const { shape } = whole.terms;
  const wanted = contentOf(whole.terms);
  if (!whole.asks || wanted.length < 2 || shape?.addresses || shape?.isOwn || shape?.isNegated) return undefined;
  const { kind } = shape ?? {};
  if (kind === undefined || UNFIT.has(kind)) return undefined;
  const before = new Set(turn.said.history.map(({ answer }) => answer));
  const passage = turn.knowledge.passages
    .saying(wanted, new Set(wanted))
    .find(({ text }) => !before.has(text) && saysKind(text, kind));
  return passage && told(turn, passage);
}

/** An honest answer to "and Mars?" that stays with it: a fact on what was named. */
export function relatedFact(turn: Turn, sentence: Sentence): Reply | undefined {
  const { knowledge, said } = turn;
  const [text] = knowledge.replies('about_only');
  const { isOwn, isNegated } = sentence.terms.shape ?? {};
  // "And if it is dry already?" names nothing that there are facts on.
  if (!text || isOwn || isNegated || sentence.words.length > MOST_ASIDE_WORDS) return undefined;
  const isNew = (fact: string) => !said.history.some(({ answer }) => answer.includes(fact));
  const named = contentOf(sentence.terms).join(' ');
  const facts = named === '' ? [] : knowledge.facts.about(named, ALL);
  const fresh = facts.filter(isNew);
  if (fresh.length === 0) return undefined;
  const fact = oneNotAmong([], fresh, turn.seed);
  return {
    id: 'unknown',
    answer: text.replace('{fact}', () => fact),
    isAnswered: false,
  };
}

function saying(turn: Turn, wanted: readonly string[]): readonly Passage[] {
  const { rule, terms } = subjectOf(turn);
  const before = new Set(turn.said.history.map(({ answer }) => answer));
  const subjects = new Set([...terms].filter((term) => !wanted.includes(term)));
  const found = turn.knowledge.passages.saying(wanted, subjects);
  return found.filter((passage) => passage.rule !== rule && !before.has(passage.text));
}

function told(turn: Turn, { text, rule }: Passage): Reply {
  return rule ? turn.replyFrom(rule) : { id: 'fact', answer: text, isAnswered: true };
}

function withKind(terms: TermWeights, kind: string): TermWeights {
  return Object.assign(new Map(terms), {
    shape: terms.shape && { ...terms.shape, kind, asks: true, tells: false },
  });
}

function isFact({ knowledge }: Turn, answer: string): boolean {
  return knowledge.facts.like(answer).length > 0;
}

function says({ knowledge, whole }: Turn, name: string): boolean {
  const match = knowledge.set(name).best(whole.words.slice(0, MOST_WORDS), whole.text);
  return (
    match !== undefined && (match.weight / whole.words.length >= WHOLE || contentOf(whole.terms).length <= MOST_CONTENT)
  );
}
