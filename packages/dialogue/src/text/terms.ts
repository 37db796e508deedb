import { stemmer as arabic } from '@orama/stemmers/arabic';
import { stemmer as english } from '@orama/stemmers/english';
import { stemmer as french } from '@orama/stemmers/french';
import { stemmer as german } from '@orama/stemmers/german';
import { stemmer as hindi } from '@orama/stemmers/indian';
import { stemmer as portuguese } from '@orama/stemmers/portuguese';
import { stemmer as spanish } from '@orama/stemmers/spanish';
import type { PhraseFile } from '../format/script-file.js';
import { withDateMarks, withoutDateMarks } from './dates.js';
import { WordForms } from './word-forms.js';
import { QuestionKinds } from './question-kinds.js';
import { OPENERS } from './openers.js';
import { NEGATIONS, Shape, shapeOf, YOU } from './shape.js';
import { informal } from './informal.js';
import { informalSpanish } from './informal.es.js';
import { isSimilar } from './typos.js';
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
const MOST_KNOWN = 20_000;
/** Anything longer is its own stem. */
const LONGEST_WORD = 40;

/** What a word counts: all, if it says something; less for who is spoken of, and for words that say little. */
const SAYS_ALL = 1;
const NEGATES = 0.9;
const ADDRESSES = 0.5;
const SAYS_LITTLE = 0.22;

/** One term for all negations, in any language. */
const NEGATION = '¬';
const QUESTION_MARK = /[?？؟]\s*$/u;

/** What a question may begin with before its first word, in any language. */
const BEFORE_ASKING: ReadonlySet<string> = new Set(
  (
    'with from in on at for about to by since until mit aus von auf in an bei fur uber zu ab seit bis gegen unter ' +
    'con de a en para por sobre desde hasta entre'
  ).split(' '),
);

/** Begin questions, and also what tells when something was, in any language: "when I was ten we moved", "cuando llueve me duermo". */
const WHEN: ReadonlySet<string> = new Set(['when', 'cuando']);
const SOMEBODY: ReadonlySet<string> = new Set(
  'i we he she they my our his her their yo nosotros mi mis nuestro nuestra'.split(' '),
);
const MYSELF: ReadonlySet<string> = new Set('me mi mis nos yo estoy tengo siento soy'.split(' '));

const WE = /[aei]mos$/;

/** German questions begin with the verb, then who does it: `kocht man`, `schläfst du`; not of the user, who leaves out `das`. */
const ASKED_OF: ReadonlySet<string> = new Set('du man ihr er es'.split(' '));
const BEFORE_SUBJECT: ReadonlySet<string> = new Set(
  'wenn weil dass ob da als obwohl bevor nachdem sobald seit bis falls damit sodass wahrend und aber oder denn dann mit bei zu von an auf fur aus nach uber'.split(
    ' ',
  ),
);

/** Terms of a text by what each counts, from 0 to 1. */
export interface TermWeights extends ReadonlyMap<string, number> {
  readonly shape?: Shape;
}

/** Terms of an example: what {@link TermWeights} says, in less memory. */
export class ExampleTerms {
  constructor(
    readonly terms: readonly string[],
    /** What each of them counts. */
    readonly counts: readonly number[],
    readonly shape: Shape | undefined,
  ) {}

  static of(weights: TermWeights): ExampleTerms {
    const { shape } = weights;
    return new ExampleTerms([...weights.keys()], [...weights.values()], shape && oneOfAll(shape));
  }

  has(term: string): boolean {
    return this.terms.includes(term);
  }

  /** Whether it has a term, or one that may be that with a typing error. */
  hasLike(term: string): boolean {
    return this.has(term) || this.terms.some((one) => isSimilar(one, term));
  }

  /** The terms that say something. */
  content(): string[] {
    return this.terms.filter((_, index) => this.counts[index] === SAYS_ALL);
  }
}

/** Shapes that examples have in common: they are few. */
const inCommon = new Map<string, Shape>();

function oneOfAll(shape: Shape): Shape {
  const key = JSON.stringify(shape);
  const known = inCommon.get(key) ?? shape;
  if (inCommon.size < MOST_KNOWN) inCommon.set(key, known);
  return known;
}

type WordLists = Required<Pick<PhraseFile, 'common' | 'asking' | 'telling' | 'kinds' | 'forms'>>;

/** Words of a language as retrieval compares them: stems, and pairs of characters where words have no spaces. */
export class Terms {
  private readonly forms: WordForms;
  /** Stems that were worked out before: a stemmer takes many times as long as a look-up. */
  private readonly stems = new Map<string, string>();
  private readonly common: ReadonlySet<string>;
  private readonly asking: ReadonlySet<string>;
  private readonly telling: ReadonlySet<string>;
  private readonly kinds: QuestionKinds;
  private readonly examples = new Map<string, ExampleTerms>();
  private readonly vocabulary = new Set<string>();
  private list?: Intl.ListFormat;

  constructor(
    readonly language: string,
    readonly rewrites: Rewrites,
    { common = [], asking = [], telling = [], kinds = {}, forms = [] }: Partial<WordLists>,
  ) {
    this.forms = new WordForms(forms, STEMMERS[language.slice(0, 2)] ?? ((word) => word));
    this.common = new Set(common.map(fold));
    this.asking = new Set(asking.map(fold));
    this.telling = new Set(telling.map(fold));
    this.kinds = new QuestionKinds(kinds);
  }

  /** A text as its dates and informal words are looked up. */
  readable(text: string): string {
    const dated = withoutDateMarks(text, this.language);
    if (this.language.startsWith('es')) return informalSpanish(dated);
    return this.language.startsWith('de') ? informal(dated) : dated;
  }

  /** The opposite of {@link readable}, for dates. */
  dated(text: string): string {
    return withDateMarks(text, this.language);
  }

  /** @param isShared whether the next script of the language has that example too */
  ofExample(text: string, isShared: boolean): ExampleTerms {
    const terms = this.examples.get(text) ?? ExampleTerms.of(this.of(text));
    if (isShared && this.examples.size < MOST_KNOWN) this.examples.set(text, terms);
    for (const term of terms.terms) this.vocabulary.add(term);
    return terms;
  }

  /** Whether some example of the language has a term, so that it is no typing error. */
  isKnown(term: string): boolean {
    return this.vocabulary.has(term);
  }

  of(text: string): TermWeights {
    const spoken = rewritten(wordsOf(text, MOST_WORDS), this.rewrites);
    return this.ofWords(spoken, QUESTION_MARK.test(text) || this.asks(spoken));
  }

  ofWords(spoken: readonly Word[], asks = this.asks(spoken)): TermWeights {
    const terms = new Map<string, number>();
    spoken.slice(0, MOST_WORDS).forEach(({ text, solo, end }, index) => {
      if (!solo) return void terms.set(this.stemOf(text), this.weightOf(text));
      const next = spoken[index + 1];
      if (next?.solo && next.start === end) return void terms.set(text + next.text, SAYS_ALL);
      const before = spoken[index - 1];
      if (!(before?.solo && before.end === spoken[index]!.start)) terms.set(text, SAYS_ALL);
    });
    return Object.assign(terms, {
      shape: shapeOf(spoken, asks, this.telling, this.kinds),
    });
  }

  /** The words that say little. */
  get commonWords(): ReadonlySet<string> {
    return this.common;
  }

  private weightOf(word: string): number {
    if (NEGATIONS.has(word)) return NEGATES;
    if (YOU.has(word)) return ADDRESSES;
    // Numbers, and letters alone, which also stand for a word of nothing else: `xxxx`.
    if (/^(?:\d+|[a-z])$/.test(word)) return SAYS_LITTLE;
    return this.common.has(word) ? SAYS_LITTLE : SAYS_ALL;
  }

  /** Whether words ask for something, by how they begin: `what …`, `with whom …`, `kocht man …`. */
  asks(spoken: readonly Word[]): boolean {
    const at = spoken.findIndex(({ text }) => !OPENERS.has(text));
    const [first, second] = at < 0 ? [] : [spoken[at]!.text, spoken[at + 1]?.text ?? ''];
    if (first === undefined || tellsWhen(spoken.slice(at))) return false;
    return (
      this.asking.has(first) ||
      this.asking.has(`${first} ${second}`) ||
      (BEFORE_ASKING.has(first) && this.asking.has(second!)) ||
      (this.language.startsWith('de') && ASKED_OF.has(second!) && !BEFORE_SUBJECT.has(first))
    );
  }

  /** Texts as one: `a, b or c`. */
  oneOf(texts: readonly string[]): string {
    return (this.list ??= new Intl.ListFormat(this.language, {
      type: 'disjunction',
    })).format(texts);
  }

  readonly stemOf = (word: string): string => {
    let stem = this.stems.get(word);
    if (stem === undefined) {
      if (NEGATIONS.has(word)) return NEGATION;
      stem = word.length > LONGEST_WORD ? word : this.forms.stemOf(word);
      if (this.stems.size >= MOST_KNOWN) this.stems.clear();
      this.stems.set(word, stem);
    }
    return stem;
  };
}

/** Whether a sentence that begins with `when` tells something of somebody. */
function tellsWhen([first, second, ...rest]: readonly Word[]): boolean {
  if (!WHEN.has(first!.text) || !second) return false;
  return (
    SOMEBODY.has(second.text) ||
    rest.some(({ text }) => MYSELF.has(text) || (first!.text === 'cuando' && WE.test(text)))
  );
}

/** How much a request says: its terms that say something, and that it negates one. */
export function saysOf(terms: TermWeights): number {
  return contentOf(terms).length + (terms.has(NEGATION) ? 1 : 0);
}

/** The terms that say something. */
export function contentOf(terms: TermWeights): string[] {
  return [...terms].filter(([, weight]) => weight === SAYS_ALL).map(([term]) => term);
}
