import { ScriptThing } from '../format/script-file.js';
import { Word } from '../text/words.js';

/** Stands for the name of a thing: a letter that no language writes, a word that says something. */
export const NAME = 'ꝋ';

/** A name in a request. */
export interface Naming {
  /** More than one if things of several kinds have that name. */
  readonly things: readonly ScriptThing[];
  /** Where it stands, in words. */
  readonly at: number;
  readonly length: number;
  /** The rest of a compound, as in `Froscheier`. */
  readonly rest?: Word;
}

/** Words with a letter instead of each of some names. */
export function withoutNames(words: readonly Word[], names: readonly Naming[]): readonly Word[] {
  return names.reduceRight((left, { at, length, rest }) => {
    const name = { ...left[at]!, text: NAME, solo: false };
    return [...left.slice(0, at), name, ...(rest ? [rest] : []), ...left.slice(at + length)];
  }, words);
}
