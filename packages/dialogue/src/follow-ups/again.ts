import { Reply } from '../turn/choose.js';
import { contextLinkOf } from '../context/continuation.js';
import { OPENERS } from '../text/openers.js';
import { clausesOf, QUESTION_WORDS } from '../text/sentences.js';
import { subjectOf } from '../context/subject.js';
import { contentOf } from '../text/terms.js';
import { sentencesIn } from '../match/answer-sentences.js';
import { threadOf } from '../context/thread.js';
import { Turn } from '../turn/turn.js';
import { Word, writtenAs } from '../text/words.js';
import { WORD_FOR_WORD } from '../match/scores.js';

const list = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** Point to what was named in the same sentence, in any language. */
const PRONOUNS = list('it them this that these those sie ihn ihm das die den eso esto ellos ellas');
/** Stand before what a question is about, in any language. */
const PREPOSITIONS = list('with for without about in on from mit fur ohne bei von zu aus con para sin de sobre en');
const MOST_FRONTED = 5;
const MOST_EXAMPLE_WORDS = 8;
/** Beginnings of the words of such requests, in any language. */
const ASKING =
  'exampl beispiel ejempl explain give tell show another one erklar gib geb zeig nenn explic dim dam pon mas otr'.split(
    ' ',
  );
const LEAST_OF_IT = 0.3;
/** What examples begin with, in any language. */
const EXAMPLE =
  /(?:^|[ (])(?:for example|for instance|an example|ein Beispiel|un ejemplo|such as|think of|imagine|zum Beispiel|etwa|beispielsweise|stell dir vor|por ejemplo|imagina|piensa en)(?![\p{L}])/iu;

/**
 * The answer to a question that begins with what it is about, asked with that in its place: "and the eggs, what could I do
 * with them?", "y con los huevos qué podría hacer".
 *
 * @param ask answers another request in place of this one
 */
export function fronted(turn: Turn, ask: (request: string) => Reply): Reply | undefined {
  const asked = behindComma(turn) ?? behindPreposition(turn);
  const reply = asked === undefined ? undefined : ask(asked);
  return reply?.isAnswered ? reply : undefined;
}

function behindComma({ knowledge, whole, said }: Turn): string | undefined {
  const [first, second, ...more] = clausesOf(whole, knowledge.terms, said.avatar.name);
  if (!second?.asks || whole.checks || more.length > 0) return undefined;
  const named = withoutOpeners(first!.words);
  const at = second.words.findLastIndex(({ text }) => PRONOUNS.has(text));
  const content = first!.terms.shape?.tells ? 0 : contentOf(knowledge.terms.ofWords(named)).length;
  if (at < 1 || !isName(content, named.length)) return undefined;
  if (named.some(({ text }) => QUESTION_WORDS.has(text))) return undefined;
  const { start, end } = second.words[at]!;
  return `${second.text.slice(0, start)}${writtenAs(first!.text, named)}${second.text.slice(end)}`;
}

/** A name of few words, of which most say something. */
function isName(content: number, words: number): boolean {
  return content > 0 && words <= MOST_FRONTED && words <= content + 2;
}

function behindPreposition({ knowledge, whole }: Turn): string | undefined {
  const { words, text, asks } = whole;
  const named = withoutOpeners(words);
  const at = named.findIndex((word) => QUESTION_WORDS.has(word.text));
  // What asks already is compared by its words, wherever they stand.
  if (asks || at < 2 || at > MOST_FRONTED || !PREPOSITIONS.has(named[0]!.text)) return undefined;
  const content = contentOf(knowledge.terms.ofWords(named.slice(0, at)));
  return content.length > 0 && named.length > at + 1
    ? `${writtenAs(text, named.slice(at))} ${writtenAs(text, named.slice(0, at))}?`
    : undefined;
}

/** An example of what was told last, or another word on it, or an honest answer: "give me an example". */
export function exampleOf(turn: Turn): Reply | undefined {
  const { knowledge, said, whole } = turn;
  const asked = knowledge.set('example').best(whole.words, whole.text);
  if (!asked || whole.words.length > MOST_EXAMPLE_WORDS || asked.weight / whole.words.length < LEAST_OF_IT)
    return undefined;
  const { terms } = subjectOf(turn);
  // "What is an example of a mammal?" asks for something else.
  const isOther = (term: string) => !terms.has(term) && !ASKING.some((stem) => term.startsWith(stem));
  const thread = said.history.length > 0 && !contentOf(whole.terms).some(isOther) ? threadOf(turn) : undefined;
  if (!thread) return undefined;
  const { topic } = thread.point ?? {};
  const told = said.history.map(({ answer }) => answer);
  const isTold = (text: string) => told.some((answer) => answer.includes(text));
  const examples = sentencesIn(topic ? [...thread.texts, ...topic.answers] : thread.texts).filter((text) =>
    EXAMPLE.test(text),
  );
  const answer = examples.find((text) => !isTold(text)) ?? topic?.answers.find((text) => !isTold(text)) ?? examples[0];
  if (answer !== undefined && !answer.includes('{')) return { id: thread.id, answer, isAnswered: true };
  // A script may have its own words for it.
  const best = knowledge.intents.best(whole.terms);
  return best && best.score >= WORD_FOR_WORD ? undefined : turn.builtInReply('no_more', false);
}

/** What the last answer says of what a question goes on with, if nothing else does: "and a soft one?". */
export function namedAgain(turn: Turn): Reply | undefined {
  const { knowledge, whole } = turn;
  const named = contentOf(whole.terms);
  if (!whole.asks || named.length === 0 || contextLinkOf(turn, whole) !== 'continues') return undefined;
  const thread = threadOf(turn);
  const answer =
    thread &&
    sentencesIn(thread.texts).find((text) => {
      const terms = knowledge.terms.of(text);
      return named.every((term) => terms.has(term));
    });
  return answer === undefined ? undefined : { id: thread!.id, answer, isAnswered: true };
}

function withoutOpeners(words: readonly Word[]): readonly Word[] {
  const from = words.findIndex(({ text }) => !OPENERS.has(text));
  return from < 0 ? [] : words.slice(from);
}
