import { alternativesOf } from './phrase.js';
import { fold, type Word } from './words.js';

/** Where the words of a question stand that say of which kind it is. */
const MOST_OPENING_WORDS = 10;
/** Stands for one to four words: `what does … mean`. */
const GAP = fold('…');
const MOST_BETWEEN = 4;

interface Opening {
  readonly kind: string;
  readonly words: readonly string[];
}

/** Kinds of questions whose answers fit no question of another kind: `why`, `how far`, `is it safe`. */
export class QuestionKinds {
  private readonly openings = new Map<string, Opening[]>();
  /** Words that make it one wherever they stand, if no opening does. */
  private readonly anywhere = new Map<string, string>();

  /** @param kinds openings by kind, with alternatives as in phrases, and `…` for a few words; a word behind `*` may stand anywhere */
  constructor(kinds: Readonly<Record<string, readonly string[]>>) {
    for (const [kind, sources] of Object.entries(kinds))
      for (const source of sources.flatMap(alternativesOf)) {
        const words = source.split(/\s+/u).filter(Boolean).map(fold);
        if (source.startsWith('*')) {
          this.anywhere.set(words[0]!.slice(1), kind);
          continue;
        }
        const known = this.openings.get(words[0]!) ?? [];
        this.openings.set(
          words[0]!,
          [...known, { kind, words }].sort((a, b) => b.words.length - a.words.length),
        );
      }
  }

  /** The first that words name, the longest there. */
  of(words: readonly Word[]): string | undefined {
    const most = Math.min(words.length, MOST_OPENING_WORDS);
    for (let at = 0; at < most; at++) {
      const found = this.openings.get(words[at]!.text)?.find((opening) => standsAt(opening.words, words, at));
      if (found) return found.kind;
    }
    for (const { text } of words) {
      const kind = this.anywhere.get(text);
      if (kind) return kind;
    }
    return undefined;
  }
}

function standsAt(opening: readonly string[], words: readonly Word[], at: number): boolean {
  const gap = opening.indexOf(GAP);
  const first = gap < 0 ? opening : opening.slice(0, gap);
  if (!first.every((word, index) => words[at + index]?.text === word)) return false;
  const rest = opening.slice(first.length + 1);
  const from = at + first.length;
  return (
    gap < 0 || words.slice(from + 1, from + MOST_BETWEEN + 1).some((_, skip) => standsAt(rest, words, from + 1 + skip))
  );
}
