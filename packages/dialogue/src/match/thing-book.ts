import { Halves, halvesOf } from '../text/compounds.js';
import { ScriptThing, ThingQuestions } from '../format/script-file.js';
import { IntentIndex, IntentMatch } from './intent-index.js';
import { isNounForm } from '../text/noun-forms.js';
import { OPENERS } from '../text/openers.js';
import { Sentence } from '../text/sentences.js';
import { Terms, TermWeights } from '../text/terms.js';
import { NUMBERS } from './answer-sentences.js';
import { isOneError, isSlip } from '../text/typos.js';
import { fold, rewritten, Word, wordsOf, writtenAs } from '../text/words.js';
import { NAME, Naming } from './naming.js';
import { atOnce } from './slices.js';

/** What is said of a thing if it alone is named. */
export const ABOUT = 'about';
const MOST_NAME_WORDS = 8;
const MOST_WORDS = 30;
/** What is left where an example asks for a number, and the request for no kind of thing: `can it swim`, `how fast can it swim`. */
const VAGUER = 0.72;
const SHORTEST_MISSPELT = 5;
/** From this length on a letter may be another. */
const LONG_MISSPELT = 6;
const [SHORTEST_LAST, LONG_LAST] = [4, 6];
/** Ways to ask that differ in words that say little alone. */
const MOST_VARIANTS = 20;

/** Things of some kinds, found by their names, and what may be asked of them. */
export class ThingBook {
  /** By the stems of the name. */
  private readonly byName = new Map<string, readonly ScriptThing[]>();
  /** How many words the longest name has, by its first stem; of names of several words. */
  private readonly longest = new Map<string, number>();
  private readonly indexes = new Map<string, IntentIndex>();
  private readonly words = new Map<string, ReadonlySet<string>>();
  /** Names of one word by their first letter, for those with an error. */
  private readonly misspellable = new Map<string, readonly (readonly [string, string])[]>();

  /** @param isWord whether a stem is known otherwise, so that it is neither a compound nor misspelt */
  constructor(
    private readonly questions: ThingQuestions,
    things: readonly ScriptThing[],
    private readonly terms: Terms,
    private readonly isWord: (stem: string) => boolean,
    readonly partOf: Readonly<Record<string, string>>,
  ) {
    for (const thing of things) {
      const own = [thing];
      for (const name of thing.names) this.add(this.stemsOf(name), thing, own);
    }
  }

  private add(stems: readonly string[], thing: ScriptThing, own: readonly ScriptThing[]): void {
    if (stems.length === 0) return;
    const key = stems.join(' ');
    const known = this.byName.get(key);
    if (!known?.some(({ kind }) => kind === thing.kind)) this.byName.set(key, known ? [...known, thing] : own);
    if (stems.length > 1) this.longest.set(stems[0]!, Math.max(stems.length, this.longest.get(stems[0]!) ?? 0));
  }

  /** The stems of a name, or of a text as long. */
  stemsOf(name: string): string[] {
    return this.wordsOf(name).map(({ text }) => this.terms.stemOf(text));
  }

  private wordsOf(name: string): readonly Word[] {
    return rewritten(wordsOf(name, MOST_NAME_WORDS), this.terms.rewrites);
  }

  /** The names in a request, the longest first where they overlap. */
  namesIn(words: readonly Word[]): Naming[] {
    const stems = words.map(({ text }) => this.terms.stemOf(text));
    const found: Naming[] = [];
    for (let at = 0; at < words.length; at++) {
      const naming = this.nameAt(words, stems, at) ?? this.compoundAt(words, at);
      if (!naming) continue;
      found.push(naming);
      at += naming.length - 1;
    }
    return found;
  }

  /** As {@link namesIn}, for names with a typing error. */
  misspeltIn(words: readonly Word[]): Naming[] {
    return words.flatMap(({ text }, at) => {
      const stem = this.terms.stemOf(text);
      if (text.length < SHORTEST_MISSPELT || this.isKnown(stem)) return [];
      const isMeant = ([name]: readonly [string, string]) =>
        isSlip(text, name) ||
        (text.length >= LONG_MISSPELT && name.length > SHORTEST_MISSPELT && isOneError(name, text));
      const meant = this.namesWith(text[0]!).find(isMeant);
      return meant ? [{ things: this.byName.get(meant[1])!, at, length: 1 }] : [];
    });
  }

  /** The names in a sentence, with a typing error if it asks and has no other. */
  namesAskedIn({ words, asks }: Pick<Sentence, 'words' | 'asks'>): Naming[] {
    const names = this.namesIn(words);
    return names.length > 0 || !asks ? names : this.misspeltIn(words);
  }

  /** Of the names of a thing the one that was said, as it is written in a text, or the first. */
  nameOf({ names }: ScriptThing, words: readonly Word[], { at, length }: Naming, text: string): string {
    const said = words.slice(at, at + length);
    const folded = said.map((word) => word.text).join(' ');
    const name = names.find((one) => fold(one) === folded);
    const written = writtenAs(text, said);
    if (name) return fold(written) === folded ? written : name;
    const stems = said.map((word) => this.terms.stemOf(word.text)).join(' ');
    return names.find((one) => this.stemsOf(one).join(' ') === stems) ?? names[0]!;
  }

  /** The question of a kind that a request means, however bad; its rule's id is `kind.question`. */
  question(kind: string, request: TermWeights): IntentMatch | undefined {
    const match = this.indexOf(kind).best(request);
    const isVaguer = request.shape && !request.shape.kind && NUMBERS.has(match?.example.shape?.kind ?? '');
    return match && isVaguer ? { ...match, score: match.score * VAGUER } : match;
  }

  /** Ways to ask a question. */
  examplesOf(kind: string, question: string): readonly string[] {
    return this.questions[kind]?.[question] ?? [];
  }

  /** Whether a stem stands in some question of a kind. */
  isAskedOf(kind: string, stem: string): boolean {
    return this.indexOf(kind).knows(stem);
  }

  /** Whether all words stand in questions of a kind as they are, not just with other endings. */
  hasWords(kind: string, words: readonly Word[]): boolean {
    let known = this.words.get(kind);
    if (!known) {
      known = new Set(
        Object.values(this.questions[kind] ?? {}).flatMap((some) =>
          some.flatMap((text) => wordsOf(text, MOST_WORDS).map((word) => word.text)),
        ),
      );
      this.words.set(kind, known);
    }
    return words.every(({ text }) => known.has(text) || OPENERS.has(text));
  }

  /** Makes the indexes of all kinds, in steps. */
  *prepare(): Generator<void, void, void> {
    for (const kind of Object.keys(this.questions)) {
      this.indexOf(kind);
      yield;
    }
  }

  private indexOf(kind: string): IntentIndex {
    let index = this.indexes.get(kind);
    if (!index) {
      const intents = Object.entries(this.questions[kind] ?? {}).map(([question, examples]) => ({
        rule: { id: `${kind}.${question}`, answers: [], again: false, priority: 0 },
        isGeneral: false,
        examples: examples.map((example) => example.replace('{thing}', ` ${NAME} `)),
      }));
      index = atOnce(IntentIndex.made(intents, this.terms, { mostVariants: MOST_VARIANTS }));
      this.indexes.set(kind, index);
    }
    return index;
  }

  private nameAt(words: readonly Word[], stems: readonly string[], at: number): Naming | undefined {
    for (let length = this.longest.get(stems[at]!) ?? 1; length > 0; length--) {
      const things = this.byName.get(length === 1 ? stems[at]! : stems.slice(at, at + length).join(' '));
      const said = words[at + length - 1];
      if (things && said && things.some((thing) => this.isFormOf(thing, said.text))) return { things, at, length };
    }
    return undefined;
  }

  /** A name with what is asked of it, `Froscheier`, or with a kind of it, `Kirschtomaten`. */
  private compoundAt(words: readonly Word[], at: number): Naming | undefined {
    const word = words[at]!;
    const isLast = (stem: string) => this.byName.has(stem) || this.isAsked(stem);
    const halves = halvesOf(word.text, this.terms, isLast);
    if (halves.length === 0 || this.isKnown(this.terms.stemOf(word.text))) return undefined;
    for (const { front, begin, last, rest } of halves) {
      const things = this.byName.get(front)?.filter((thing) => this.isFormOf(thing, begin));
      if (things?.some(({ kind }) => this.indexOf(kind).knows(last)))
        return { things, at, length: 1, rest: { ...word, text: rest } };
    }
    // `Kirschtomaten` are tomatoes, `Kontinente` no ducks.
    const mayBe = ({ front, rest }: Halves) =>
      rest.length >= LONG_LAST || this.isKnown(front) || this.byName.has(front);
    const ends = ({ last, rest }: Halves) =>
      this.byName
        .get(last)
        ?.filter(({ names }) =>
          names.some((name) => [rest, rest.slice(0, -1)].includes(this.wordsOf(name).at(-1)?.text ?? '')),
        );
    const things = halves.filter((half) => half.rest.length >= SHORTEST_LAST && mayBe(half)).map(ends);
    const meant = things.find((some) => some?.length);
    return meant && { things: meant, at, length: 1 };
  }

  /** Whether a word ends a name of a thing, be it with another ending: `cocida` has the stem of `coco` alone. */
  private isFormOf({ names }: ScriptThing, word: string): boolean {
    const { commonWords, language } = this.terms;
    // "Mag", beside "Magen".
    const fits = (name: string) => name === word || (!commonWords.has(word) && isNounForm(word, name, language));
    return names.some((name) => fits(this.wordsOf(name).at(-1)?.text ?? ''));
  }

  /** Names of one word that begin with a letter, each with its stem. */
  private namesWith(letter: string): readonly (readonly [string, string])[] {
    let names = this.misspellable.get(letter);
    if (!names) {
      names = [...this.byName].flatMap(([key, things]) =>
        key[0] === letter && !key.includes(' ') ? this.namesOf(things, key) : [],
      );
      this.misspellable.set(letter, names);
    }
    return names;
  }

  private namesOf(things: readonly ScriptThing[], key: string): (readonly [string, string])[] {
    const names = things.flatMap((thing) => thing.names.map(fold)).filter((name) => this.terms.stemOf(name) === key);
    return [...new Set([...names, key])].map((name) => [name, key]);
  }

  private isKnown(stem: string): boolean {
    return this.isWord(stem) || this.isAsked(stem);
  }

  private isAsked(stem: string): boolean {
    return Object.keys(this.questions).some((kind) => this.indexOf(kind).knows(stem));
  }
}

export function questionOf({ rule }: Pick<IntentMatch, 'rule'>): string {
  return rule.id.slice(rule.id.indexOf('.') + 1);
}
