/** A word of an answer and when it is heard, in milliseconds from the start of the answer's sound. */
export interface HeardWord {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** The words of an answer, as far as their sound has been sent, and what is left of them where it is cut. */
export class SpokenAnswer {
  private readonly words: HeardWord[] = [];
  /** By the client, which knows best what was heard. */
  private truncated?: number;
  /** By the server's own clock. */
  private interrupted?: number;
  /** Milliseconds of sound that have been sent. */
  sent = 0;
  private full = '';

  /** All that has been said of it. */
  get text(): string {
    return this.full;
  }

  /** Takes a sentence whose sound is now sent. @param words of the sentence, all of its text */
  add(text: string, words: readonly HeardWord[]): void {
    this.full += text;
    this.words.push(...words);
  }

  /** Cuts it where the server supposes that it was no longer heard. */
  interrupt(at: number): void {
    this.interrupted = Math.min(at, this.interrupted ?? Infinity);
  }

  /**
   * Cuts it where the client says that it was no longer heard. Later cuts never lengthen it.
   *
   * @returns where it is cut, within the sound
   */
  truncate(at: number): number {
    this.truncated = Math.min(Math.max(0, at), this.sent, this.truncated ?? Infinity);
    return this.truncated;
  }

  /** Where it is cut, in milliseconds of its sound; undefined if it is not. */
  get cut(): number | undefined {
    return this.truncated ?? this.interrupted;
  }

  /** The words that were heard, without space around them; all of them if it was not cut. */
  get heard(): string {
    const until = this.cut;
    if (until === undefined || (this.interrupted === undefined && until >= this.sent)) return this.full;
    const ended = this.words.findIndex(({ end }) => end > until);
    const words = ended === -1 ? this.words : this.words.slice(0, ended);
    return words
      .map(({ text }) => text)
      .join('')
      .trim();
  }
}
