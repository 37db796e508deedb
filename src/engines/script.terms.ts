import { stemmer as arabic } from '@orama/stemmers/arabic';
import { stemmer as english } from '@orama/stemmers/english';
import { stemmer as french } from '@orama/stemmers/french';
import { stemmer as german } from '@orama/stemmers/german';
import { stemmer as hindi } from '@orama/stemmers/indian';
import { stemmer as portuguese } from '@orama/stemmers/portuguese';
import { stemmer as spanish } from '@orama/stemmers/spanish';
import { fold, rewritten, Rewrites, Word, wordsOf } from './script.words.js';

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
const MOST_KNOWN = 20_000;

/** Stems that were worked out before, by language: a stemmer takes many times as long as a look-up. */
const known = new Map<string, Map<string, string>>();

/** What a word counts: all, if it says something; less for who is spoken of, and for words that say little. */
const SAYS_ALL = 1;
const NEGATES = 0.9;
const ADDRESSES = 0.5;
const SAYS_LITTLE = 0.22;

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));
/** One term for all of these, in any language. */
const NEGATION = '¬';
const NEGATIONS = words(
  'no not without kein keine keinen keiner keinem nicht ohne sin ningun ninguna nao sem pas sans',
);
/** The one who is spoken to. */
const YOU = words(
  'you your yours yourself du dich dir dein deine deinen deinem deiner tu tus te ti eres tienes voce toi ton ta tes',
);

/** What may stand before a question, in any language. */
export const OPENERS = words(
  'hey hi hello ok okay so and but well oh then please now yes no und aber also na hallo bitte dann ja nein y pero pues hola oye bueno si e mas ola et mais alors bonjour salut oui non',
);

/** Terms of a text by what each counts, from 0 to 1. */
export type TermWeights = ReadonlyMap<string, number>;

/** Words of a language as retrieval compares them: stems, and pairs of characters where words have no spaces. */
export class Terms {
  private readonly stem: (word: string) => string;
  private readonly stems: Map<string, string>;
  private readonly common: ReadonlySet<string>;
  private readonly asking: ReadonlySet<string>;
  private readonly examples = new Map<string, TermWeights>();
  private list?: Intl.ListFormat;

  constructor(
    readonly language: string,
    readonly rewrites: Rewrites,
    { common = [], asking = [] }: { readonly common?: readonly string[]; readonly asking?: readonly string[] },
  ) {
    const code = language.slice(0, 2);
    this.stem = STEMMERS[code] ?? ((word) => word);
    this.stems = known.get(code) ?? new Map<string, string>();
    known.set(code, this.stems);
    this.common = new Set(common.map(fold));
    this.asking = new Set(asking.map(fold));
  }

  /** A text without the points of German dates, which end no sentence: `am 3. Mai`. */
  readable(text: string): string {
    return this.language.startsWith('de') ? text.replace(/\b(\d{1,2})\.(?= \p{Lu})/gu, '$1') : text;
  }

  /** The opposite of {@link readable}. */
  dated(text: string): string {
    return this.language.startsWith('de') ? text.replace(/^(\d{1,2})(?= \p{Lu})/u, '$1.') : text;
  }

  /** Those of an example, which the next script may have too. */
  ofExample(text: string): TermWeights {
    const terms = this.examples.get(text) ?? this.of(text);
    if (this.examples.size < MOST_KNOWN) this.examples.set(text, terms);
    return terms;
  }

  of(text: string): TermWeights {
    return this.ofWords(rewritten(wordsOf(text, MOST_WORDS), this.rewrites));
  }

  ofWords(spoken: readonly Word[]): TermWeights {
    const terms = new Map<string, number>();
    spoken.slice(0, MOST_WORDS).forEach(({ text, solo, end }, index) => {
      if (!solo) return void terms.set(this.stemOf(text), this.weightOf(text));
      const next = spoken[index + 1];
      if (next?.solo && next.start === end) return void terms.set(text + next.text, SAYS_ALL);
      const before = spoken[index - 1];
      if (!(before?.solo && before.end === spoken[index]!.start)) terms.set(text, SAYS_ALL);
    });
    return terms;
  }

  private weightOf(word: string): number {
    if (NEGATIONS.has(word)) return NEGATES;
    if (YOU.has(word)) return ADDRESSES;
    if (/^\d+$/.test(word)) return SAYS_LITTLE;
    return this.common.has(word) ? SAYS_LITTLE : SAYS_ALL;
  }

  /** Whether words ask for something, by how they begin. */
  asks(spoken: readonly Word[]): boolean {
    const first = spoken.find(({ text }) => !OPENERS.has(text));
    return first !== undefined && this.asking.has(first.text);
  }

  /** Texts as one: `a, b or c`. */
  oneOf(texts: readonly string[]): string {
    return (this.list ??= new Intl.ListFormat(this.language, { type: 'disjunction' })).format(texts);
  }

  private stemOf(word: string): string {
    let stem = this.stems.get(word);
    if (stem === undefined) {
      if (NEGATIONS.has(word)) return NEGATION;
      stem = word.length > 40 ? word : this.stem(word) || word;
      if (this.stems.size >= MOST_KNOWN) this.stems.clear();
      this.stems.set(word, stem);
    }
    return stem;
  }
}

/** The terms that say something. */
export function contentOf(terms: TermWeights): string[] {
  return [...terms].filter(([, weight]) => weight === SAYS_ALL).map(([term]) => term);
}
