import { KnowledgeBase } from '../script/knowledge-base.js';
import { aloneIn } from '../text/pronouns.de.js';
import { leftOutIn } from '../text/pronouns.es.js';
import { Sentence } from '../text/sentences.js';
import { Word } from '../text/words.js';

const list = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const MOST_WORDS = 12;
/** Words that point back to someone, in English: the other languages have them among their phrases. */
const PERSONS = list('he him his she her');
interface Pointing {
  readonly at: number;
}
const found = new WeakMap<readonly Word[], Pointing | null>();

/** Where a sentence names what it is about by a word such as `it`, or not at all where its language leaves that out. */
export function pointingIn(knowledge: KnowledgeBase, sentence: Pick<Sentence, 'words' | 'text'>): Pointing | undefined {
  const { words } = sentence;
  let pointing = found.get(words);
  if (pointing === undefined) {
    pointing = findIn(knowledge, sentence) ?? null;
    found.set(words, pointing);
  }
  return pointing ?? undefined;
}

function findIn(knowledge: KnowledgeBase, { words, text }: Pick<Sentence, 'words' | 'text'>): Pointing | undefined {
  const said = knowledge.set('pointing').best(words, text);
  if (said || words.length > MOST_WORDS) return said;
  const { language } = knowledge.terms;
  const at = language.startsWith('de')
    ? aloneIn(words)
    : language.startsWith('es')
      ? leftOutIn(words)
      : words.findIndex((word) => PERSONS.has(word.text));
  return at < 0 ? undefined : { at };
}
