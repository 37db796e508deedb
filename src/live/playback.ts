import { setTimeout as delay } from 'node:timers/promises';

/** How far sound is sent ahead of its playback, in milliseconds: enough for a hiccup, little to take back. */
const LEAD = 1500;
/** Of one event. */
const CHUNK = 100;
/** How often it is looked whether a pause is over. */
const PAUSE_STEP = 20;

/** Sends the sound of an answer a little ahead of its playback, and knows by the clock how much has been heard. */
export class Playback {
  /** Milliseconds that have been sent. */
  sent = 0;
  private startedAt?: number;
  private paused = false;

  /** @param rate samples a second */
  constructor(
    private readonly rate: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Milliseconds that have been heard, if the client plays what it gets at once. */
  get played(): number {
    return this.startedAt === undefined ? 0 : Math.min(this.sent, this.now() - this.startedAt);
  }

  /** Milliseconds that have been sent and not been heard. */
  get ahead(): number {
    return this.sent - this.played;
  }

  /** Nothing is sent until {@link resume}. */
  pause(): void {
    this.paused = true;
  }

  resume(): void {
    this.paused = false;
  }

  /** Sends samples piece by piece, each as soon as it may go. Ends early once the signal is aborted. */
  async send(samples: Int16Array, emit: (piece: Int16Array) => void, signal: AbortSignal): Promise<void> {
    const length = (this.rate * CHUNK) / 1000;
    for (let at = 0; at < samples.length; at += length) {
      await this.turn(signal);
      if (signal.aborted) return;
      const piece = samples.subarray(at, at + length);
      emit(piece);
      // What came too late was waited for: playback stood still meanwhile.
      this.startedAt = Math.max(this.startedAt ?? 0, this.now() - this.sent);
      this.sent += (piece.length / this.rate) * 1000;
    }
  }

  /** Resolves when more may be sent, or the signal is aborted. */
  async turn(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const wait = this.paused ? PAUSE_STEP : this.ahead + CHUNK - LEAD;
      if (wait <= 0) return;
      await delay(wait, undefined, { signal }).catch(() => undefined);
    }
  }
}
