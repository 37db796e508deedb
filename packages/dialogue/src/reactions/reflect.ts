import { choose, Reply } from '../turn/choose.js';
import { wants } from '../context/needed-score.js';
import { FIRST_NAMES } from '../text/first-names.js';
import { OPENERS } from '../text/openers.js';
import { withoutGreeting } from '../context/request-parts.js';
import { secondPerson } from './reflect.forms.js';
import { clausesOf, reportsQuestion, Sentence, sentencesOf } from '../text/sentences.js';
import { NEGATIONS, YOU } from '../text/shape.js';
import { contentOf } from '../text/terms.js';
import { Turn } from '../turn/turn.js';
import { fold, Word, wordsOf } from '../text/words.js';

/** In words. */
const LEAST = 3;
const MOST = 20;
const list = (words: string): ReadonlySet<string> => new Set(words.split(' '));
/** One of the first words of a statement of oneself is among these, or one of all if it surely tells something. */
const OPENING = 5;
const ONESELF: Readonly<Record<string, ReadonlySet<string>>> = {
  en: list('i im ive we weve my our me us'),
  de: list('ich wir bin hab habe mein meine meinen meinem meiner mir mich uns unser unsere unserem'),
  es: list('yo mi mis me estoy soy tengo he voy fui llevo vivo trabajo'),
};
/** One of others begins with one of these. */
const OTHERS = list('he she they hes shes theyre er sie ella ellos ellas');
/** A statement with one of these is about the avatar, or about what it says. */
const ABOUT_AVATAR = new Set([
  ...YOU,
  ...list('youre ya u ur usted ustedes os vosotros deines deins eres has estas sabes puedes tienes sie ihnen euch'),
]);
/** They are so in German only with a capital. */
const POLITE = list('sie ihnen euch');
const AFTERWORDS = list('lol haha hahaha hehe dear love mate tho though xd lmao rofl jaja jajaja jeje gell hihi omg');
const LAST_WORDS = 2;
/** What stands for a question within, in any language; as they are written, for `que` and `como` ask nothing. */
const ASKING_WITHIN = list(
  'why how what whats which warum wieso weshalb wieviel wieviele welche welcher welches welchen ' +
    'qué cómo cuánto cuánta cuántos cuántas cuanto cuanta cuantos cuantas cuál cuáles porqué',
);
const CAPITAL = /^\p{Lu}/u;

/**
 * Takes up what the user says of themselves in their own words, said to them, and asks on: "So you have moved to Leeds.
 * How is that for you?" Undefined where a statement cannot be turned round without fail.
 *
 * @param isGreeting whether only who says their name as well is answered so
 */
export function reflection(turn: Turn, isGreeting = false): Reply | undefined {
  const { talk, said } = turn;
  if (talk.replies('reflection').length === 0 || !ONESELF[talk.terms.language.slice(0, 2)]) return undefined;
  const { name: avatar } = said.avatar;
  const parts = sentencesOf(turn.request, talk.terms, avatar).map((part) => withoutGreeting(part, talk.terms, avatar));
  const name = parts.map((part) => turn.introduction(part)?.slots.name).find((one) => one !== undefined);
  if (isGreeting && name === undefined) return undefined;
  const taken = parts
    .flatMap((part) => statementsIn(turn, part))
    .sort((one, other) => other.words.length - one.words.length)
    .flatMap((part) => inSecondPerson(turn, part) ?? [])
    .at(0);
  if (!taken) return undefined;
  const { kind, text } = taken;
  const texts = talk.replies(name === undefined ? kind : 'reflection_name');
  return { id: 'reflection', answer: choose(texts, said, { said: text, ...(name && { name }) }), isAnswered: false };
}

/** What is said of a statement, and by which replies. */
function inSecondPerson(turn: Turn, sentence: Sentence): { kind: string; text: string } | undefined {
  const said = trimmed(sentence, fold(turn.said.avatar.name));
  const text = secondPerson(said, turn.talk.terms);
  if (text !== undefined) return { kind: wants(turn, sentence) ? 'reflection_problem' : 'reflection', text };
  return speaksOf(sentence, 1, OTHERS) ? { kind: 'reflection_other', text: said } : undefined;
}

/** A sentence if it can be taken up, else those of its clauses that can. */
function statementsIn(turn: Turn, sentence: Sentence): Sentence[] {
  const introduces = (part: Sentence) => turn.introduction(part) !== undefined;
  if (!introduces(sentence) && canBeTakenUp(turn, sentence)) return [sentence];
  const clauses = clausesOf(sentence, turn.talk.terms, turn.said.avatar.name);
  return clauses.filter((clause) => !introduces(clause) && canBeTakenUp(turn, clause));
}

function canBeTakenUp(turn: Turn, sentence: Sentence): boolean {
  const { talk } = turn;
  const { words, text, asks, checks, terms } = sentence;
  const isSmall = ({ text: word, start }: Word) => POLITE.has(word) && !CAPITAL.test(text.slice(start));
  const isFirst = (word: Word) => word === words[0];
  return (
    !asks &&
    !checks &&
    !reportsQuestion(sentence) &&
    !words.some(({ start, end }) => ASKING_WITHIN.has(text.slice(start, end).toLowerCase())) &&
    words.length >= LEAST &&
    words.length <= MOST &&
    contentOf(terms).length > 0 &&
    (speaksOf(sentence, terms.shape?.tells ? MOST : OPENING, ONESELF[talk.terms.language.slice(0, 2)]!) ||
      speaksOf(sentence, 1, OTHERS)) &&
    !words.some((word) => ABOUT_AVATAR.has(word.text) && !isSmall(word) && !(POLITE.has(word.text) && isFirst(word))) &&
    ['not_reflected', 'requesting'].every((name) => talk.set(name).best(words, text) === undefined)
  );
}

/** Whether one of a sentence's first words, its opening aside, is among some. */
function speaksOf({ words }: Sentence, first: number, some: ReadonlySet<string>): boolean {
  const from = words.findIndex(({ text }) => !opens(text));
  return from >= 0 && words.slice(from, from + first).some(({ text }) => some.has(text));
}

function opens(word: string): boolean {
  return OPENERS.has(word) && !NEGATIONS.has(word);
}

/** The words of a statement as they were written, without what only opens or ends it. */
function trimmed({ text }: Sentence, avatar: string): string {
  const words = wordsOf(text, MOST + LAST_WORDS);
  let from = 0;
  while (from < words.length && (opens(words[from]!.text) || words[from]!.text === avatar)) from++;
  let to = words.length;
  const isAfter = ({ text: word, solo }: Word) => solo || AFTERWORDS.has(word);
  while (to > from && words.length - to < LAST_WORDS && isAfter(words[to - 1]!)) to--;
  const body = from >= to ? '' : text.slice(words[from]!.start, words[to - 1]!.end);
  const first = body.slice(0, body.search(/[^\p{L}]|$/u));
  return FIRST_NAMES.has(fold(first)) && !OTHERS.has(fold(first))
    ? body
    : body.replace(/^\p{Lu}(?!\p{Lu})/u, (letter) => letter.toLowerCase());
}
