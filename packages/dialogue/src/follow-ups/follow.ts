import { Reply } from '../turn/choose.js';
import { SOME } from '../match/fact-book.js';
import { isInterjection, isReply } from '../match/interjections.js';
import { sentencesOf } from '../text/sentences.js';
import { nextIfAgreed, nextStep } from '../context/steps.js';
import { contentOf } from '../text/terms.js';
import { ONLY_A_REPLY, OTHER_THAN_FOLLOW_UP, SURE } from '../match/scores.js';
import { Turn } from '../turn/turn.js';
import { isSimilar } from '../text/typos.js';
import { rewritten, wordsOf } from '../text/words.js';

/** From this share of its words on a request says no more than the follow-up's phrase does. */
const WHOLE = 0.6;
const MOST = 0.5;
const SHORT_REPLY = 6;
const MOST_WORDS = 200;
/** In any language. */
const YES = new Set([
  'yes',
  'yeah',
  'yep',
  'sure',
  'please',
  'ja',
  'gern',
  'gerne',
  'bitte',
  'si',
  'claro',
  'oui',
  'sim',
]);
/** So many answers back something may have been offered. */
const OFFERED_TURNS = 3;
/** The share of what an offer names, and of what is asked, that they have in common. */
const ASKED_FOR = 0.6;
/** Words of offers that say nothing of what is offered, in any language. */
const OFFERING = new Set(
  (
    'shall like want hear know tell explain interested curious example give show list ' +
    'soll mochtest magst willst horen wissen erzahlen erzahl erklaren verraten zeigen beispiel ' +
    'quieres cuente cuento saber oir explique explico diga digo ejemplo'
  ).split(' '),
);
const ENDS = new Set(['thanks', 'bye', 'good_night', 'never_mind', 'understood']);
const QUESTION_MARK = /[?？؟]/u;

/** The answer to what follows up the last answer, if the request fits it. */
export function followUp(turn: Turn): Reply | undefined {
  const last = turn.said.history.at(-1)?.answer;
  if (!last) return undefined;
  return (
    followRule(turn, last) ?? askedOffer(turn) ?? nextStep(turn) ?? followFact(turn, last) ?? followOffer(turn, last)
  );
}

/** What one of the last answers offered to tell, asked for in so many words: "what would happen if you fell in?". */
function askedOffer(turn: Turn): Reply | undefined {
  const { knowledge, said } = turn;
  const asked = sentencesOf(turn.request, knowledge.terms).findLast(({ asks }) => asks);
  const wanted = asked ? contentOf(asked.terms) : [];
  if (!asked || wanted.length === 0) return undefined;
  const best = knowledge.intents.best(asked.terms);
  if (best && best.score >= SURE && knowledge.isIntent(best.rule)) return undefined;
  const told = new Set(said.history.map(({ answer }) => answer));
  for (const { answer } of said.history.slice(-OFFERED_TURNS).toReversed()) {
    const point = turn.pointAfter(answer);
    const next = point?.rule.then && nextIfAgreed(point.rule.then);
    const offer = next && sentencesOf(answer, knowledge.terms).findLast(({ text }) => QUESTION_MARK.test(text));
    if (!offer || next.answers.some((text) => told.has(text))) continue;
    const offering = new Set(
      offer.words.filter((word) => OFFERING.has(word.text)).map((word) => knowledge.terms.stemOf(word.text)),
    );
    const named = contentOf(offer.terms).filter((term) => !offering.has(term));
    const isNamed = (term: string) => named.some((one) => one === term || isSimilar(one, term));
    const shared = wanted.filter(isNamed).length;
    const topics = knowledge.passages.topicsOf(point.topic);
    const other = wanted.filter((term) => !isNamed(term) && !topics.has(term)).length;
    const fits = !asked.terms.shape?.kind || asked.terms.shape.kind === offer.terms.shape?.kind;
    if (fits && shared > 0 && shared >= ASKED_FOR * named.length && shared >= ASKED_FOR * (shared + other))
      return turn.replyFrom(next);
  }
  return undefined;
}

function followRule(turn: Turn, last: string): Reply | undefined {
  const { request } = turn.said;
  for (const one of [turn.script, ...turn.others]) {
    const point = one.pointAfter(last);
    if (!point) continue;
    const then = point.rule.then;
    if (!then) return undefined;
    const words = rewritten(wordsOf(request, MOST_WORDS), one.rewrites);
    const match = then.best(words, request);
    // "Y si me deja" agrees to nothing.
    // "Yeah, tell me something about space" says what it wants.
    const named =
      match?.rule === nextIfAgreed(then) ? turn.knowledge.set('about').best(words, request)?.slots.about : undefined;
    const isWhatIf = words[1]?.text === 'si' && words[0]!.text === 'y' && match?.rule === nextIfAgreed(then);
    const fits =
      match &&
      !isWhatIf &&
      named === undefined &&
      (fitsReply(turn, match.weight / words.length, match.at < 2) || (match.at < 2 && takesOffer(turn, last)));
    const next = fits ? match.rule : isShortReply(turn) && then.otherwise;
    if (!next) return undefined;
    return turn.replyFrom(next.again ? point.topic : next, match?.slots);
  }
  return undefined;
}

/** Whether a phrase that covers a share of the request is what the request is about. */
function fitsReply(turn: Turn, share: number, begins: boolean): boolean {
  if (share >= WHOLE) return true;
  return begins && !QUESTION_MARK.test(turn.said.request) && !meansOther(turn);
}

/** "Yes, let's do that exercise", behind an offer of one. */
function takesOffer({ knowledge, whole, said }: Turn, last: string): boolean {
  const named = contentOf(whole.terms);
  const offer = sentencesOf(last, knowledge.terms).findLast(({ text }) => QUESTION_MARK.test(text));
  const isTaken = !whole.asks && !QUESTION_MARK.test(said.request) && YES.has(whole.words[0]?.text ?? '');
  const shared = named.filter((term) => offer?.terms.has(term)).length;
  return isTaken && shared > 0 && shared >= MOST * named.length;
}

/** A reply that is nothing else: no thanks, no news. */
function isShortReply(turn: Turn): boolean {
  const { words, asks, terms, text } = turn.whole;
  if (words.length > SHORT_REPLY || asks || meansOther(turn, ONLY_A_REPLY)) return false;
  const best = turn.knowledge.intents.best(terms);
  return (
    !(best && best.score >= OTHER_THAN_FOLLOW_UP && isInterjection(best.rule) && !isReply(best.rule)) &&
    !turn.knowledge.acknowledge.best(words, text)
  );
}

function meansOther({ knowledge, whole }: Turn, least = OTHER_THAN_FOLLOW_UP): boolean {
  const best = knowledge.intents.best(whole.terms);
  return best !== undefined && best.score >= least && !isReply(best.rule);
}

/** Another fact like the last one. */
function followFact(turn: Turn, last: string): Reply | undefined {
  const like = turn.knowledge.facts.like(last);
  if (like.length === 0 || namesMore(turn) || !says(turn, 'more', 'yes')) return undefined;
  const told = new Set(turn.said.history.map(({ answer }) => answer));
  return turn.fact(like.some((fact) => !told.has(fact)) ? like : turn.knowledge.facts.all());
}

/** A fact on the first topic that the last answer offered. */
function followOffer(turn: Turn, last: string): Reply | undefined {
  const offered = turn.knowledge.topics
    .filter((topic) => last.includes(topic))
    .sort((a, b) => last.indexOf(a) - last.indexOf(b));
  // "Why not?" behind an honest answer asks for the reason.
  const asksWhy = turn.whole.terms.shape?.kind === 'why' && !QUESTION_MARK.test(last);
  if (offered.length < 2 || asksWhy || namesMore(turn) || namesOther(turn) || !says(turn, 'yes')) return undefined;
  const facts = offered.map((topic) => turn.knowledge.facts.about(topic, SOME)).find((some) => some.length > 0);
  if (facts) return turn.fact(facts);
  const intent = turn.knowledge.intents.best(turn.knowledge.terms.of(offered[0]!));
  return intent && intent.score >= OTHER_THAN_FOLLOW_UP ? turn.replyFrom(intent.rule) : undefined;
}

/** "I'd like to try focaccia" is about more than agreement. */
function namesMore({ whole }: Turn): boolean {
  return contentOf(whole.terms).length > 1;
}

/** "Pasta, vale" takes up something else. */
function namesOther({ knowledge, whole }: Turn): boolean {
  const match = knowledge.set('yes').best(whole.words, whole.text);
  const rest = match ? whole.words.filter((_, index) => index < match.at || index >= match.at + match.weight) : [];
  const best = rest.length > 0 ? knowledge.intents.best(knowledge.terms.ofWords(rest)) : undefined;
  return best !== undefined && best.score >= SURE && knowledge.isIntent(best.rule) && !isInterjection(best.rule);
}

function says(turn: Turn, ...sets: string[]): boolean {
  const { knowledge, whole } = turn;
  if (isThanks(turn)) return false;
  return sets.some((name) => {
    const match = knowledge.set(name).best(whole.words, whole.text);
    return match !== undefined && match.weight / whole.words.length >= (whole.asks ? 1 : MOST);
  });
}

/** "OK, thanks" and "OK, bye" end a subject; "yes, thanks" takes an offer. */
function isThanks({ knowledge, whole }: Turn): boolean {
  return !YES.has(whole.words[0]?.text ?? '') && ENDS.has(knowledge.intents.best(whole.terms)?.rule.id ?? '');
}
