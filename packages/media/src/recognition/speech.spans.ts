/** A span of a recording, in samples from its beginning. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export const SAMPLE_RATE = 16_000;
/** Recognition models are trained on utterances, so longer speech is cut at a pause. */
const LONGEST = 14 * SAMPLE_RATE;
/** A pause that always ends a span. Shorter ones may contain soft words that were not detected as speech. */
const LONG_PAUSE = 5 * SAMPLE_RATE;
/** Padding around speech: soft beginnings and endings are easily missed. */
const MARGIN = 0.25 * SAMPLE_RATE;

/**
 * Joins detected speech to spans that can be transcribed separately, with some audio around each. Speech without pauses
 * is cut when it becomes too long.
 */
export class SpeechSpans {
  private current?: Span;
  private last = 0;

  /** @returns the spans that it completes */
  add(speech: Span): Span[] {
    const { current } = this;
    if (current && speech.end - current.start <= LONGEST && speech.start - current.end <= LONG_PAUSE) {
      this.current = { start: current.start, end: speech.end };
      return [];
    }
    const complete = this.completeSpan(speech.start);
    this.current = speech;
    return complete;
  }

  /** The speech has ended, or a pause is long enough. @param next where other speech starts, or the recording ends */
  completeSpan(next: number): Span[] {
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

  /** Start of the incomplete span; undefined if there is none. */
  get pendingStart(): number | undefined {
    return this.current && Math.max(this.last, this.current.start - MARGIN);
  }
}
