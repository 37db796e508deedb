import { fold } from './words.js';

const EXACT = '=';

/**
 * Forms of words that no stemmer brings together, each group as one text: `go went gone`. The stem of the first form stands
 * for all. Any word of the same stem as one of them counts as well (`kochte` if `kocht` is named), but not of one marked by `=`,
 * whose stem is another word's: `=ate`, for `at`.
 */
export class WordForms {
  private readonly words = new Map<string, string>();
  private readonly stems = new Map<string, string>();

  constructor(
    groups: readonly string[],
    private readonly stem: (word: string) => string,
  ) {
    for (const group of groups) {
      const [first = '', ...others] = group.split(' ');
      const common = stem(fold(first)) || fold(first);
      for (const form of others)
        if (form.startsWith(EXACT)) this.words.set(fold(form.slice(1)), common);
        else this.stems.set(stem(fold(form)), common);
    }
  }

  /** The stem that a folded word is compared by. */
  stemOf(word: string): string {
    const stem = this.stem(word) || word;
    return this.words.get(word) ?? this.stems.get(stem) ?? stem;
  }
}
