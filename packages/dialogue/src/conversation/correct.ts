import { Reply } from '../turn/choose.js';
import { Correction, correctionIn, DENIES, DETERMINERS, Named } from './correction.js';
import { ADULTS, CHILDREN_AND_PETS } from '../text/people.js';
import { Sentence, sentencesOf } from '../text/sentences.js';
import { contentOf } from '../text/terms.js';
import { sentenceThat } from '../match/answer-sentences.js';
import { Turn } from '../turn/turn.js';
import { Word, wordsOf, writtenAs } from '../text/words.js';

const list = (words: string): ReadonlySet<string> => new Set(words.split(' '));

const PEOPLE: ReadonlySet<string> = new Set([...ADULTS, ...CHILDREN_AND_PETS]);
const PRONOUNS = list('it that this they them er sie es das der die den eso esto ello');
/** German for "it", and Spanish for "is". */
const IS = 'es';
const MOST_LOOKED_AT = 60;
const ABOUT: Readonly<Record<string, string>> = { de: 'was ist mit', es: 'qué hay de' };

/**
 * The answer to a request that the user puts right, "no, I meant the bread", "not my sister, my brother", "no, I asked how
 * big it is": what was asked is asked anew with what is meant.
 *
 * @param ask answers another request in place of this one
 */
export function corrected(turn: Turn, ask: (request: string) => Reply): Reply | undefined {
  const { knowledge, request, said, requests } = turn;
  const found = said.history.length > 0 ? correctionIn(request, knowledge) : undefined;
  if (!found) return undefined;
  const before = requests.find(({ text, words }) => words.length > 0 && !correctionIn(text, knowledge));
  if (isNamed(found) && (!before || (found.isBare && !before.asks))) return undefined;
  const asks = !isNamed(found) || turn.whole.asks || before!.asks;
  const last = said.history.at(-1)!.answer;
  const readings = isNamed(found) ? readingsOf(turn, found, before!) : askedOf(found.asked, before);
  let small: Reply | undefined;
  for (const reading of new Set(readings)) {
    const reply = ask(reading);
    if (!reply.isAnswered || reply.answer === last || (!asks && isHeard(turn, reply))) continue;
    const rule = knowledge.ruleOf(reply.id);
    // "What helps?" alone is small talk.
    if (!rule || knowledge.isIntent(rule)) return reply;
    if (!isNamed(found) || found.rest === '') small ??= reply;
  }
  return small ?? partOf(turn, found) ?? turn.builtInReply(asks ? 'corrected_unknown' : 'corrected', !asks);
}

/** An answer that was given to what the user denies now is none: "no, it was me, I told her secret". */
export function withoutDenied(turn: Turn, reply: Reply): Reply {
  const { knowledge, said, whole } = turn;
  const last = said.history.at(-1)?.answer;
  const [first, second] = whole.words;
  if (!last || last.endsWith('?') || !second || !DENIES.has(first!.text) || !whole.terms.shape?.tells) return reply;
  // Spanish verbs are negated so: "no sé qué decirle".
  if (knowledge.terms.language.startsWith('es') && first!.clause === second.clause) return reply;
  const topic = knowledge.pointAfter(last)?.topic;
  return topic && topic.id === reply.id && knowledge.isIntent(topic)
    ? (turn.builtInReply('corrected', true) ?? reply)
    : reply;
}

function isNamed(found: Correction): found is Named {
  return 'right' in found;
}

/** Whether a reply says no more than that a statement was heard. */
function isHeard({ knowledge }: Turn, { id }: Reply): boolean {
  return knowledge.acknowledge.all.some((rule) => rule.id === id);
}

/** The sentence of the last answer that says something of what is meant: "not in air, in water". */
function partOf({ knowledge, said }: Turn, found: Correction): Reply | undefined {
  const last = said.history.at(-1)!.answer;
  const point = knowledge.pointAfter(last);
  if (!isNamed(found) || found.rest !== '' || !point || !knowledge.isIntent(point.topic)) return undefined;
  const content = new Set(contentOf(knowledge.terms.ofWords(found.right)));
  const named = found.right.filter(({ text }) => content.has(knowledge.terms.stemOf(text)));
  const names = (text: string) => {
    const spoken = new Set(wordsOf(text, MOST_LOOKED_AT).map((word) => word.text));
    return named.every((word) => spoken.has(word.text));
  };
  const part = named.length > 0 ? sentenceThat([last], names) : undefined;
  return part === undefined ? undefined : { id: point.topic.id, answer: part, isAnswered: true };
}

/** What may be asked with a question that stands in a correction: that, or with what was asked before it. */
function askedOf(asked: string, before: Sentence | undefined): string[] {
  return before?.asks ? [asked, `${unmarked(before)} ${asked}`] : [asked];
}

/** What may be asked with a correction, the likeliest first. */
function readingsOf(turn: Turn, correction: Named, before: Sentence): string[] {
  const { right, wrong, text, rest } = correction;
  const named = writtenAs(text, right);
  if (rest !== '') return withRest(turn, named, rest);
  const replaced = replacedIn(turn, before, wrong, right);
  const other = replaced && `${before.text.slice(0, replaced.start)}${named}${before.text.slice(replaced.end)}`;
  const about = ABOUT[turn.knowledge.terms.language.slice(0, 2)] ?? 'what about';
  const both = `${unmarked(before)} ${named}`;
  const asked = before.asks ? [`${about} ${named}?`, `${both}?`, `${named}?`] : [both];
  const same = before.asks ? sameIn(before, text, right) : undefined;
  return other ? [other] : same === undefined ? asked : [same, ...asked];
}

/** What is asked behind what is meant: "I meant the pan. What helps?" as one question, unless it names what nobody knows. */
function withRest({ knowledge }: Turn, named: string, rest: string): string[] {
  const asked = sentencesOf(rest, knowledge.terms).findLast(({ asks }) => asks);
  const isWhole = !asked || contentOf(asked.terms).some((term) => !knowledge.intents.knows(term));
  const both = asked && !isWhole && contentOf(asked.terms).length < 2 ? [`${unmarked(asked)} ${named}?`] : [];
  return [...both, `${named}. ${rest}`, ...(asked && contentOf(asked.terms).length > 0 ? [rest] : [])];
}

function unmarked({ text, words }: Sentence): string {
  return text.slice(0, words.at(-1)!.end);
}

/** The last question with what is meant where the same words stand: "the largest planet" and "no, the smallest". */
function sameIn({ text, words }: Sentence, spoken: string, right: readonly Word[]): string | undefined {
  const at = right.findLastIndex(
    (one, index) => index < right.length - 1 && words.some((word) => word.text === one.text),
  );
  const from = words.findLastIndex((word) => word.text === right[at]?.text);
  if (at < 0) return undefined;
  const to = words[Math.min(from + right.length - at, words.length) - 1]!;
  return `${text.slice(0, words[from]!.start)}${writtenAs(spoken, right.slice(at))}${text.slice(to.end)}`;
}

/** Where in the last request stands what something else is meant by. */
function replacedIn({ knowledge }: Turn, { words }: Sentence, wrong: readonly Word[], right: readonly Word[]) {
  const { stemOf } = knowledge.terms;
  const place = (at: number, length: number) => {
    const hasOwn = DETERMINERS.has(right[0]!.text) && DETERMINERS.has(words[at - 1]?.text ?? '');
    return { start: words[at - (hasOwn ? 1 : 0)]!.start, end: words[at + length - 1]!.end };
  };
  const names = wrong.filter(({ text }) => !DETERMINERS.has(text)).map(({ text }) => stemOf(text));
  const at = words.findIndex((_, index) =>
    names.every((name, place) => stemOf(words[index + place]?.text ?? '') === name),
  );
  if (names.length > 0 && at >= 0) return place(at, names.length);
  const meant = knowledge.things?.namesIn(right)[0]?.things[0];
  const other = meant && knowledge.things!.namesIn(words).findLast(({ things }) => things[0]!.kind === meant.kind);
  if (other) return place(other.at, other.length);
  const isPerson = right.some(({ text }) => PEOPLE.has(text));
  const isPointing = (text: string) =>
    PRONOUNS.has(text) && !(text === IS && knowledge.terms.language.startsWith('es'));
  const pointing = words.findIndex(({ text }) => (isPerson ? PEOPLE.has(text) : isPointing(text)));
  return pointing < 0 ? undefined : place(pointing, 1);
}
