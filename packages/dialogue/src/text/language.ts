import { stemmer as arabic } from '@orama/stemmers/arabic';
import { stemmer as english } from '@orama/stemmers/english';
import { stemmer as french } from '@orama/stemmers/french';
import { stemmer as german } from '@orama/stemmers/german';
import { stemmer as hindi } from '@orama/stemmers/indian';
import { stemmer as portuguese } from '@orama/stemmers/portuguese';
import { stemmer as spanish } from '@orama/stemmers/spanish';
import type { LanguageWords } from '../format/script-file.js';
import { fold, rewritten, Rewrites, Word, wordsOf } from './words.js';

const STEMMERS: Readonly<Record<string, (word: string) => string>> = {
  ar: arabic,
  de: german,
  en: english,
  es: spanish,
  fr: french,
  hi: hindi,
  pt: portuguese,
};
const MOST_WORDS = 60;
const MOST_STEMS = 10_000;
/** Words in one spelling. */
const PLAIN = /^[a-z]+(?: [a-z]+)*$/;
/** Anything longer is its own stem. */
const LONGEST_WORD = 40;
/** Words of the longest beginning of a question: "es un planeta". */
const MOST_ASKING = 3;

/** What a word counts: all, if it says something; less for who is spoken of, what is asked, and words that say little. */
const SAYS_ALL = 1;
const PERSON = 0.7;
/** A word that asks for something of a kind, which an example must ask for too. */
export const ASKS = 0.75;
const SAYS_LITTLE = 0.3;
const SAYS_NOTHING = 0.08;
/** One term for all denials, so that `do not` and `never` are alike. */
export const DENIAL = '¬';

/** Terms of a text by what each counts. */
export type TermWeights = ReadonlyMap<string, number>;

/** How a language is read: its spellings, and what its words count. */
export class Language {
  readonly rewrites: Rewrites;
  /** Words that no slot takes. */
  readonly stops: ReadonlySet<string>;
  /** Words that are no typing error of others. */
  readonly known: ReadonlySet<string>;
  private readonly asking: ReadonlySet<string>;
  private readonly counts = new Map<string, number>();
  private readonly denials: ReadonlySet<string>;
  private readonly stemmer: (word: string) => string;
  private readonly stems = new Map<string, string>();

  constructor(
    readonly code: string,
    {
      read = {},
      stops = [],
      common = [],
      filler = [],
      persons = [],
      questions = [],
      denials = [],
      asking = [],
      known = [],
    }: LanguageWords,
  ) {
    const plain = (text: string) =>
      PLAIN.test(text) ? text.split(' ') : wordsOf(text, 10).flatMap((word) => word.text.split("'"));
    this.rewrites = new Map(Object.entries(read).map(([from, to]) => [fold(from), plain(to)]));
    this.stops = new Set(stops.flatMap(plain));
    this.known = new Set(known.flatMap(plain));
    this.asking = new Set(asking.map(fold));
    this.denials = new Set(denials.map(fold));
    for (const word of common) this.counts.set(fold(word), SAYS_LITTLE);
    for (const word of persons) this.counts.set(fold(word), PERSON);
    for (const word of questions) this.counts.set(fold(word), ASKS);
    for (const word of filler) this.counts.set(fold(word), SAYS_NOTHING);
    this.stemmer = STEMMERS[code.slice(0, 2)] ?? ((word) => word);
  }

  /** The words of a text as the language reads them. */
  wordsOf(text: string, most = MOST_WORDS): readonly Word[] {
    return rewritten(wordsOf(text, most), this.rewrites);
  }

  /** What some words say: stems, and pairs of characters if words have no spaces. */
  termsOf(words: readonly Word[]): TermWeights {
    const terms = new Map<string, number>();
    let before: Word | undefined;
    for (const word of words) {
      if (this.denials.has(word.text)) terms.set(DENIAL, SAYS_ALL);
      else {
        const counts = this.counts.get(word.text) ?? SAYS_ALL;
        terms.set(
          word.solo ? word.text : this.stemOf(word.text),
          word.solo && counts !== PERSON && counts !== ASKS ? counts / 2 : counts,
        );
        if (word.solo && before?.solo && before.clause === word.clause) {
          const both =
            this.counts.get(before.text + word.text) ?? Math.min(counts, this.counts.get(before.text) ?? SAYS_ALL);
          terms.set(before.text + word.text, both);
        }
      }
      before = word;
    }
    return terms;
  }

  /** Whether some words begin as a question or a request does. */
  asks(words: readonly Word[]): boolean {
    const start = words.findIndex(({ text }) => !OPENERS.has(text));
    if (start < 0) return false;
    const first = words.slice(start, start + MOST_ASKING).map(({ text }) => text);
    // In a script without spaces a question word may stand anywhere.
    return words[0]!.solo
      ? words.some((word, at) => this.asking.has(word.text + (words[at + 1]?.text ?? '')))
      : first.some((_, at) => this.asking.has(first.slice(0, at + 1).join(' ')));
  }

  /** Whether some words say anything that counts. */
  saysSomething(words: readonly Word[]): boolean {
    return words.some(({ text }) => (this.counts.get(text) ?? SAYS_ALL) === SAYS_ALL && !OPENERS.has(text));
  }

  /** Whether some words name somebody: `I`, `her`. */
  namesPerson(words: readonly Word[]): boolean {
    return words.some(({ text }) => this.counts.get(text) === PERSON);
  }

  private stemOf(word: string): string {
    let stem = this.stems.get(word);
    if (stem === undefined) {
      stem = word.length > LONGEST_WORD ? word : this.stemmer(word);
      if (this.stems.size >= MOST_STEMS) this.stems.clear();
      this.stems.set(word, stem);
    }
    return stem;
  }
}

/** What may stand before a sentence, in any language. */
export const OPENERS: ReadonlySet<string> = new Set(
  (
    'hey hi hello ok okay so and but well oh then please now yes no und aber also na hallo bitte dann ja nein y pero pues hola oye bueno si e mas ola et mais alors bonjour salut oui non ' +
    'anyway actually btw um uh hmm because sag mal guten tag morgen good morning evening buenas buenos dias bom boa dia ' +
    'haha hahaha lol wait wow ooh ah aha huh jaja jajaja ay uy anda vaya ach oha krass moment hihi مرحبا اهلا नमस्ते 你 好'
  ).split(' '),
);
