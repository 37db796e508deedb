import { PhraseFile, PhraseSets } from '../format/script-file.js';
import { alternativesOf, Phrase, phrasesOf } from '../text/phrase.js';
import { RuleEntry, RuleSet } from '../match/rules.js';
import { Terms } from '../text/terms.js';
import { fold, Rewrites, wordsOf } from '../text/words.js';

/** What was made with a language's file, for the next script of that language. */
const compiledFiles = new WeakMap<PhraseFile, { readonly phrases: Map<string, Phrase[]>; readonly terms: Terms }>();

/** The phrases of a script: those of its language, and its own. */
export class PhraseBook {
  readonly rewrites: Rewrites;
  readonly terms: Terms;
  private readonly compiled: Map<string, Phrase[]>;
  private readonly stops: ReadonlySet<string>;
  private readonly sets: PhraseSets;

  /** @param faults where they go if the phrases are to be checked */
  constructor(
    language: string,
    common: PhraseFile,
    own: PhraseSets | undefined,
    private readonly faults?: string[],
  ) {
    const { rewrite = {}, stops = [], sets } = common;
    const plain = (text: string) => wordsOf(text, 10).flatMap((word) => word.text.split("'"));
    this.rewrites = new Map(Object.entries(rewrite).map(([from, to]) => [fold(from), plain(to)]));
    this.stops = new Set(stops.flatMap(plain));
    this.sets = { ...sets, ...own };
    const kept = compiledFiles.get(common) ?? {
      phrases: new Map<string, Phrase[]>(),
      terms: new Terms(language, this.rewrites, common),
    };
    compiledFiles.set(common, kept);
    this.compiled = kept.phrases;
    this.terms = kept.terms;
  }

  setOf(rules: readonly RuleEntry[]): RuleSet {
    return new RuleSet(rules, this.stops);
  }

  /** The phrases of a set; none if there is no such set. */
  named(name: string): readonly Phrase[] {
    return this.sets[name] ? this.set(`@${name}`, name) : [];
  }

  /** Phrases as they are written, in place of sets what is in them. */
  sources(match: readonly string[]): string[] {
    return match.flatMap((source) => (source.startsWith('@') ? (this.sets[source.slice(1)] ?? []) : source));
  }

  /** What phrases without slots look like when said. */
  examples(match: readonly string[]): string[] {
    return this.sources(match)
      .filter((source) => !source.includes('{') && !source.includes(' & '))
      .flatMap((source) => alternativesOf(source).map((text) => text.replace(/[*^$]/g, ' ')));
  }

  phrases(match: readonly string[], place: string): Phrase[] {
    return match.flatMap((source) => (source.startsWith('@') ? this.set(source, place) : this.phrase(source, place)));
  }

  private set(source: string, place: string): Phrase[] {
    const set = this.sets[source.slice(1)];
    if (!set) this.faults?.push(`${place}.match: there is no set ${source}`);
    return (set ?? []).flatMap((phrase) => this.phrase(phrase, `${place}.match ${source}`));
  }

  private phrase(source: string, place: string): Phrase[] {
    const known = this.compiled.get(source);
    if (known) return known;
    try {
      const phrases = phrasesOf(source, this.rewrites);
      this.compiled.set(source, phrases);
      return phrases;
    } catch (error) {
      this.faults?.push(`${place}: '${source}' ${(error as Error).message}`);
      return [];
    }
  }
}
