/** Samples per second of the service's audio, and of 10 ms, the unit in which it is played. */
export const RATE = 24_000;
const FRAME = RATE / 100;
/** How much is made up for after a hiccup of the process, in frames; the rest of the delay is silence that nobody misses. */
const MAX_FRAMES = 20;

/**
 * What the avatar says, played at the speed of sound, with silence in between: events tell when a response begins to be
 * heard, when it has been heard, and when it was cut.
 */
export class SpokenAudio {
  private queue: { readonly samples: Int16Array; readonly response_id: string }[] = [];
  /** Samples of the first piece that have been played. */
  private played = 0;
  /** Frames played, of those that are due since the beginning. */
  private frames = 0;
  /** The response that is heard. */
  private heard: string | undefined;
  /** A response of which nothing more will come, or nothing more is wanted. */
  private ended: string | undefined;
  private silenced: string | undefined;
  private readonly frame = new Int16Array(FRAME);

  /** @param play takes 10 ms of audio, which it must not keep. @param report called with what becomes of a response. @param began now, in ms */
  constructor(
    private readonly play: (frame: Int16Array) => void,
    private readonly report: (what: 'started' | 'stopped' | 'cleared', response_id: string) => void,
    private readonly began: number,
  ) {}

  /** Adds audio of a response, unless it was cut. */
  add(samples: Int16Array, response_id: string): void {
    if (response_id !== this.silenced && samples.length > 0) this.queue.push({ samples, response_id });
  }

  /** A response has no more audio. */
  end(response_id: string): void {
    this.ended = response_id;
  }

  /** Stops at once. @param response_id a response that is over: its sound alone; omitted: whatever is playing */
  cut(response_id = this.queue[0]?.response_id ?? this.heard): void {
    if (response_id === undefined) return;
    this.silenced = response_id;
    if (this.queue[0]?.response_id === response_id) this.played = 0;
    this.queue = this.queue.filter((piece) => piece.response_id !== response_id);
    if (this.heard === response_id) this.tell('cleared');
  }

  /** Plays what is due. @param now milliseconds, not less than before */
  advance(now: number): void {
    const due = Math.floor((now - this.began) / 10);
    this.frames = Math.max(this.frames, due - MAX_FRAMES);
    for (; this.frames < due; this.frames++) this.play(this.nextFrame());
  }

  private nextFrame(): Int16Array {
    const { frame } = this;
    frame.fill(0);
    for (let at = 0; at < FRAME;) {
      const piece = this.queue[0];
      if (!piece) break;
      this.hear(piece.response_id);
      const part = piece.samples.subarray(this.played, this.played + FRAME - at);
      frame.set(part, at);
      at += part.length;
      this.played += part.length;
      if (this.played < piece.samples.length) break;
      this.queue.shift();
      this.played = 0;
    }
    if (this.queue.length === 0 && this.heard !== undefined && this.heard === this.ended) this.tell('stopped');
    return frame;
  }

  private hear(response_id: string): void {
    if (this.heard === response_id) return;
    if (this.heard !== undefined) this.tell('stopped');
    this.heard = response_id;
    this.report('started', response_id);
  }

  private tell(what: 'stopped' | 'cleared'): void {
    const response_id = this.heard!;
    this.heard = undefined;
    this.report(what, response_id);
  }
}
