/** Part of a recording, in samples from its beginning. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export const SAMPLE_RATE = 16_000;
/** Recognition models are made for utterances, so what is longer is cut at a pause. */
const LONGEST = 14 * SAMPLE_RATE;
/** A pause that always ends a span. Shorter ones may have soft words in them that were not found to be speech. */
const LONG_PAUSE = 5 * SAMPLE_RATE;
/** Sound around speech that belongs to it: soft beginnings and endings are easily missed. */
const MARGIN = 0.25 * SAMPLE_RATE;

/**
 * Joins what was found to be speech to spans that can be recognized by themselves, with some sound around each. Speech
 * that goes on without a pause is cut where it becomes too long.
 */
export class SpeechSpans {
  private current?: Span;
  private last = 0;

  /** @returns the spans that are complete with it */
  add(speech: Span): Span[] {
    const { current } = this;
    if (current && speech.end - current.start <= LONGEST && speech.start - current.end <= LONG_PAUSE) {
      this.current = { start: current.start, end: speech.end };
      return [];
    }
    const complete = this.end(speech.start);
    this.current = speech;
    return complete;
  }

  /**
   * The speech is over, or a pause is long enough.
   *
   * @param next where other speech begins, or the recording ends
   */
  end(next: number): Span[] {
    const { current } = this;
    if (!current) return [];
    this.current = undefined;
    const start = Math.max(this.last, current.start - MARGIN);
    const end = Math.min(next, current.end + MARGIN);
    this.last = end;
    const parts = Math.ceil((end - start) / LONGEST);
    const cut = (part: number) => start + Math.round(((end - start) * part) / parts);
    return Array.from({ length: parts }, (_, part) => ({ start: cut(part), end: cut(part + 1) }));
  }

  /** Where what is not complete begins; undefined if there is nothing. */
  get begin(): number | undefined {
    return this.current && Math.max(this.last, this.current.start - MARGIN);
  }
}
