/** A word of an answer and when it is heard, in milliseconds from the start of the answer's audio. */
export interface HeardWord {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** The words of an answer whose audio was sent, and what remains of them after a cut. */
export class SpokenAnswer {
  private readonly words: HeardWord[] = [];
  /** By the client, which knows best what was heard. */
  private truncated?: number;
  /** By the server's own clock. */
  private interrupted?: number;
  /** Milliseconds of audio sent. */
  sent = 0;
  private full = '';

  /** The text sent so far. */
  get text(): string {
    return this.full;
  }

  /** Adds a sentence whose audio is being sent. @param words of the sentence, covering all of its text */
  add(text: string, words: readonly HeardWord[]): void {
    this.full += text;
    this.words.push(...words);
  }

  /** Forgets the words so far: they turned out to be no part of the answer, though their audio was sent. */
  restart(): void {
    this.full = '';
    this.words.length = 0;
  }

  /** Truncates it at the server's estimate of what was heard. */
  interrupt(at: number): void {
    this.interrupted = Math.min(at, this.interrupted ?? Infinity);
  }

  /**
   * Truncates it where the client stopped playback. Later cuts never extend it.
   *
   * @returns where it is truncated, within the audio
   */
  truncate(at: number): number {
    this.truncated = Math.min(Math.max(0, at), this.sent, this.truncated ?? Infinity);
    return this.truncated;
  }

  /** Where it is truncated, in milliseconds of its audio; undefined if it is not. */
  get truncatedAt(): number | undefined {
    return this.truncated ?? this.interrupted;
  }

  /** The words that were heard, trimmed; all of them if it was not truncated. */
  get heard(): string {
    const until = this.truncatedAt;
    if (until === undefined || (this.interrupted === undefined && until >= this.sent)) return this.full;
    const ended = this.words.findIndex(({ end }) => end > until);
    const words = ended === -1 ? this.words : this.words.slice(0, ended);
    return words
      .map(({ text }) => text)
      .join('')
      .trim();
  }
}
