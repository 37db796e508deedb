/** How a language tells and asks for facts about the user. Phrases are as in `format/script-file.ts`. */
export interface MemoryWords {
  /** What the user tells, by kind: `{who}` is what it is about (`dog`), `{value}` what is told (`Rex`). */
  readonly tell: Readonly<Record<string, readonly string[]>>;
  /** What the user asks for, by the same kinds. */
  readonly ask: Readonly<Record<string, readonly string[]>>;
  readonly answers: Readonly<Record<string, string>>;
  /** Answers to what was never told. A kind without one is left to the script. */
  readonly unknown: Readonly<Record<string, string>>;
  /** Answers to what is told. */
  readonly confirm: Readonly<Record<string, readonly string[]>>;
  /** A sentence each for what the user told. */
  readonly summary: Readonly<Record<string, string>>;
  /** What a kind without `{who}` is about. */
  readonly about: Readonly<Record<string, string>>;
  /** Family and pets. */
  readonly relations: readonly string[];
  /** Values that tell nothing: `it`, `you`. */
  readonly nothing: readonly string[];
}
