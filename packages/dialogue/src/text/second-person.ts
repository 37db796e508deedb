import type { SecondPersonForms } from '../format/script-file.js';

/** Forms of the first person, in lower case, by which those of the second are found. */
export interface SecondPerson {
  readonly words: ReadonlyMap<string, string>;
  readonly verbs: ReadonlyMap<string, string>;
}

/** A word of a statement as it was written, in lower case. */
export interface Spoken {
  readonly text: string;
  readonly clause: number;
  /** Whether it was written with a capital. */
  readonly isCapital: boolean;
}

export function secondPersonOf({ words, verbs }: SecondPersonForms = { words: [], verbs: [] }): SecondPerson {
  return { words: pairsOf(words), verbs: pairsOf(verbs) };
}

function pairsOf(pairs: readonly string[]): ReadonlyMap<string, string> {
  return new Map(pairs.map((pair) => pair.split(' ') as [string, string]));
}
