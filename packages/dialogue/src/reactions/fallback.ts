import { choose, Reply } from '../turn/choose.js';
import { contextLinkOf } from '../context/continuation.js';
import { wants } from '../context/needed-score.js';
import { clausesOf, PREPOSITIONS, sentencesOf } from '../text/sentences.js';
import { relatedFact } from '../context/subject.js';
import { contentOf } from '../text/terms.js';
import { Turn } from '../turn/turn.js';

const OFFERED_TOPICS = 3;
const LATELY = 3;
const FULL_STOP = /[\p{L}][.!]\s*$/u;
const MOST_NO_WORDS = 3;
const LEAST_NO_WORD = 5;

/**
 * What is said to what nothing answers: an honest answer to what asks for something, a few words to what tells
 * something.
 */
export function unknown(turn: Turn): Reply {
  const { knowledge, said, seed, whole } = turn;
  const sentences = sentencesOf(turn.request, knowledge.terms);
  const isAsked = [whole, ...sentences, ...clausesOf(whole, knowledge.terms)].some((sentence) => sentence.asks);
  const asks = isAsked || wants(turn, whole);
  const stays = asks && contextLinkOf(turn, whole) === 'continues' ? relatedFact(turn, whole) : undefined;
  if (stays) return stays;
  // A wish or a problem.
  const isTold = !whole.asks && !sentences.some((sentence) => sentence.asks);
  const told = asks && isTold ? turn.builtInReply('no_advice', false) : undefined;
  if (told) return told;
  const unsure = whole.checks ? turn.builtInReply('unsure_whether', false) : undefined;
  if (unsure) return unsure;
  const word = isNoWord(turn) ? turn.builtInReply('no_word', false) : undefined;
  if (word) return word;
  const lately = said.history.slice(-LATELY).map(({ answer }) => answer);
  const fresh = knowledge.topics.filter((topic) => !lately.some((text) => text.includes(topic)));
  const offer = fresh.length >= OFFERED_TOPICS ? fresh : knowledge.topics;
  const step = Math.max(1, Math.floor(offer.length / OFFERED_TOPICS));
  const chosen = Array.from({ length: OFFERED_TOPICS }, (_, index) => offer[(seed + index * step) % offer.length]!);
  const known = offer.length > 0 ? { topics: knowledge.terms.oneOf([...new Set(chosen)]) } : {};
  // "Nach vier Jahren, per Nachricht": no statement by its words, but no name of a thing either.
  // "In Hamburg" and "Mostly pizza." reply, "pizza stone" names a subject.
  const isReplied = (word = '') => PREPOSITIONS.has(word) || FULL_STOP.test(turn.request);
  const tells = sentences.some(
    ({ terms, words }) => terms.shape?.tells || contentOf(terms).length < words.length - 1 || isReplied(words[0]?.text),
  );
  const listening = asks || !tells ? undefined : heard(turn);
  if (listening) return listening;
  const answers = asks || !tells ? knowledge.unknown : knowledge.heard;
  return {
    id: 'unknown',
    answer: choose(answers, said, known as Record<string, string>),
    isAnswered: false,
  };
}

/** What is said to who tells something, and wants to be heard before other topics are offered. */
export function heard({ knowledge, said }: Turn): Reply | undefined {
  const lately = said.history.slice(-LATELY).map(({ answer }) => answer);
  const texts = knowledge.heard.filter((text) => !text.includes('{topics}') && !lately.includes(text));
  return texts.length > 0 ? { id: 'unknown', answer: choose(texts, said, {}), isAnswered: false } : undefined;
}

/** Whether a short request is of words that nobody knows: `asdfgh`. */
function isNoWord({ knowledge, whole }: Turn): boolean {
  const content = contentOf(whole.terms);
  return (
    !whole.asks &&
    content.length === whole.words.length &&
    content.length > 0 &&
    content.length <= MOST_NO_WORDS &&
    content.every((term) => term.length >= LEAST_NO_WORD && !knowledge.intents.knows(term))
  );
}
