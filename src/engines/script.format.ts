/**
 * A script: one folder, one file a language (`en.json`, `pt.json`, `pt-BR.json`), each holding a {@link ScriptFile}.
 * The scripts that come with the service are the folders of `catalogue/scripts`; `phrases` there is none, it holds
 * the {@link PhraseFile} of each language, which every script may use.
 *
 * **Phrases** say what a user may say. They are compared word by word, whatever the case, accents and punctuation;
 * in Chinese, Japanese and Thai each character is a word.
 *
 * | Written | Meaning |
 * |---|---|
 * | `how are you` | these words side by side, anywhere in the request |
 * | `tired*` | a word that starts so |
 * | `what * music` | up to four words between |
 * | `(hi\|hello) there`, `joke( please\|)` | one of these; an empty one makes it optional |
 * | `^yes`, `yes$`, `^yes$` | only at the start, only at the end, all of the request |
 * | `my name is {name}`, `{city:2}` | a slot: up to three (two) words, remembered; it ends with the clause |
 * | `@greeting` | all phrases of that set |
 *
 * **The rule that answers** is the one with the highest `priority`, then the one whose phrase has the most words, with
 * half a word more for each `^` and `$`, then the first in the file. Those under `then` of the rule that answered last
 * count half a word more; one without `match` counts a word and a half, so that it takes what is hardly about
 * anything else. A priority above 0 goes before them all.
 *
 * **Answers** are chosen by a hash of the request and the length of the history, from those whose `{slots}` are all
 * known, those with the most slots first, and not from the latest answers as long as others are left. `{name}` is
 * what the slot caught last, in any turn of the history; `{Name}` the same with a capital; `{avatar}` the avatar's
 * name; `{last}` its last answer.
 */
export interface ScriptFile {
  /** At most 500. */
  readonly rules: readonly ScriptRule[];
  /** Said when nothing matches. */
  readonly fallback: readonly string[];
  /** Sets of this script, before those of the language with the same name. */
  readonly phrases?: PhraseSets;
}

export interface ScriptRule {
  /** Unique in the file. Also the set of phrases that it matches if `match` is left out: `joke` → `@joke`. */
  readonly id: string;
  /** Phrases, any of which will do. */
  readonly match?: readonly string[];
  /** −100 to 100; 0 if left out. */
  readonly priority?: number;
  readonly answers: readonly string[];
  /** What the user may say next. */
  readonly then?: readonly FollowUp[];
}

/** Answers to what is said right after a rule has answered. */
export interface FollowUp {
  /** If left out, it takes what no other rule knows well. */
  readonly match?: readonly string[];
  readonly answers?: readonly string[];
  /** Instead of `answers`: those of the rule with an `id` that it belongs to, once more. */
  readonly again?: true;
  readonly then?: readonly FollowUp[];
}

/** What is said in a language, for all scripts. */
export interface PhraseFile {
  /** Spellings to read as others, before anything is compared: `i'm` → `i am`. Not repeated on its own result. */
  readonly rewrite?: Readonly<Record<string, string>>;
  /** Words that no slot takes: `and`, `but`, `because`. */
  readonly stops?: readonly string[];
  readonly sets: PhraseSets;
}

export type PhraseSets = Readonly<Record<string, readonly string[]>>;

/** A script that cannot be used; `faults` each start with a file name and the place in it. */
export class ScriptError extends Error {
  constructor(readonly faults: readonly string[]) {
    super(faults.join('\n'));
    this.name = 'ScriptError';
  }
}
