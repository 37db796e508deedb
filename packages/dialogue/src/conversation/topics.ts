import { Reply } from '../turn/choose.js';
import { SOME } from '../match/fact-book.js';
import { Sentence, sentencesOf } from '../text/sentences.js';
import { contentOf, TermWeights } from '../text/terms.js';
import { SURE } from '../match/scores.js';
import { Turn } from '../turn/turn.js';
import { isSimilar } from '../text/typos.js';

const LEAST_OFFERED = 2;
const MOST_WORDS = 8;
const MOST_ORDINAL_WORDS = 5;
/** With more words that say something a request is about something else. */
const MOST_BESIDE = 4;
const LATELY = 3;
/** Between two subjects of a topic: "dinosaurs and evolution". */
const AND = / (?:and|und|y|e) /u;
/** Beginnings of words that only say that something is taken up, or is to be told, in any language. */
const TAKING =
  'sound interest topic good great cool fine nice love awesome perfect tak choos pick like tell say know more about hear go on continu klingt kling interessi thema gut schon toll cool spannend nehm super wahl gern lieb erzahl sag weiss mehr weiter tema interes buen bien bonit genial gust eleg prefier encant cuent habl dime sab mas sigu'.split(
    ' ',
  );
/** In any language, in the order of what is offered; the last means the last. */
const ORDINALS = [
  'first erste ersten erstes primero primera',
  'second zweite zweiten zweites segundo segunda',
  'third dritte dritten drittes tercero tercera',
].map((words) => new Set(words.split(' ')));
const LAST = new Set('last letzte letzten letztes ultimo ultima'.split(' '));

interface Taken {
  readonly topic: string;
  /** What is named of it. */
  readonly named: string;
}

/**
 * The answer to a request that takes up a topic that the last answer offered, in any words: "then the moon", "the second
 * one", "ok, dreams. Why do we dream at all?".
 *
 * @param ask answers another request in place of this one
 */
export function takenTopic(turn: Turn, ask: (request: string) => Reply): Reply | undefined {
  const { knowledge, said } = turn;
  const last = said.history.at(-1)?.answer;
  const offered = last === undefined ? [] : offeredIn(turn, last);
  if (offered.length < LEAST_OFFERED) return undefined;
  const sentences = sentencesOf(turn.request, knowledge.terms, said.avatar.name);
  const at = sentences.findIndex((sentence) => takenIn(turn, sentence, offered));
  const taken = at < 0 ? undefined : takenIn(turn, sentences[at]!, offered);
  if (!taken) return undefined;
  const behind = sentences.slice(at + 1);
  const asked = behind.findLast((one) => one.asks && contentOf(one.terms).length > 0);
  if (asked) {
    const reply = ask(`${asked.text.replace(/\?\s*$/u, '')} (${taken.topic})?`);
    return reply.isAnswered ? reply : undefined;
  }
  return behind.some(({ terms }) => besidesTaking(terms).length > 0) ? undefined : toldOf(turn, taken, ask);
}

/**
 * A fact on a topic that one of the last answers offered and that a request names among other things, if nothing else answers
 * it: "my grandson loves dinosaurs, what do you know about those?".
 */
export function namedTopic(turn: Turn): Reply | undefined {
  const { knowledge, said, whole } = turn;
  const offered = said.history.slice(-LATELY).flatMap(({ answer }) => offeredIn(turn, answer));
  const content = besidesTaking(whole.terms);
  const isNamed = (part: string) => {
    const names = contentOf(knowledge.terms.of(part));
    return names.length > 0 && names.every((name) => content.includes(name));
  };
  const topic = offered.find((one) => one.split(AND).some(isNamed));
  // What asks something else of it is not answered by a fact.
  if (topic === undefined || whole.terms.shape?.kind !== undefined || content.length > MOST_BESIDE) return undefined;
  const facts = knowledge.facts
    .about(topic, SOME)
    .filter((text) => !said.history.some(({ answer }) => answer === text));
  return facts.length > 0 ? turn.fact(facts) : undefined;
}

/** What a sentence names besides that something is taken up. */
function besidesTaking(terms: TermWeights): string[] {
  return contentOf(terms).filter((term) => !TAKING.some((stem) => term.startsWith(stem)));
}

/** The topics that an answer offers, in its order. */
function offeredIn({ knowledge }: Turn, last: string): readonly string[] {
  return knowledge.topics.filter((topic) => last.includes(topic)).sort((a, b) => last.indexOf(a) - last.indexOf(b));
}

function takenIn({ knowledge }: Turn, { words, terms, asks }: Sentence, offered: readonly string[]): Taken | undefined {
  const { shape } = terms;
  if (words.length > MOST_WORDS || shape?.kind !== undefined || shape?.isNegated) return undefined;
  const content = besidesTaking(terms);
  const whole = (topic: string): Taken => ({ topic, named: topic });
  if (words.length <= MOST_ORDINAL_WORDS) {
    const place = ORDINALS.findIndex((ordinal) => words.some(({ text }) => ordinal.has(text)));
    const isLast = words.some(({ text }) => LAST.has(text));
    const topic = isLast ? offered.at(-1) : offered[place];
    if (topic !== undefined && content.length <= 1) return whole(topic);
  }
  if (content.length === 0 || (asks && shape?.addresses)) return undefined;
  for (const topic of offered) {
    const names = contentOf(knowledge.terms.of(topic));
    if (!content.every((term) => names.some((name) => name === term || isSimilar(name, term)))) continue;
    const said = words.filter(({ text }) => content.includes(knowledge.terms.stemOf(text)));
    return said.length < names.length ? { topic, named: said.map(({ text }) => text).join(' ') } : whole(topic);
  }
  return undefined;
}

function toldOf(turn: Turn, { topic, named }: Taken, ask: (request: string) => Reply): Reply | undefined {
  const { knowledge, said } = turn;
  const about = ask(named);
  const best = knowledge.intents.best(knowledge.terms.of(named));
  const isSure = best !== undefined && best.score >= SURE && best.rule.id === about.id && knowledge.isIntent(best.rule);
  if (about.isAnswered && (isSure || about.id.endsWith('.about'))) return about;
  const isNew = (text: string) => !said.history.some(({ answer }) => answer === text);
  const facts = [named, topic].map((text) => knowledge.facts.about(text, SOME).filter(isNew));
  const some = facts.find((found) => found.length > 0);
  return some ? turn.fact(some) : about.isAnswered ? about : undefined;
}
