import { setTimeout as delay } from 'node:timers/promises';

/** How far audio is sent ahead of its playback, in milliseconds: enough for a hiccup, little to discard. */
const LEAD_MS = 1500;
/** The same if the service plays it: the client's buffer follows. What is interrupted falls silent that much later. */
export const CALL_LEAD_MS = 250;
/** Audio per event. */
const CHUNK_MS = 100;
/** Interval of the check whether a pause is over. */
const PAUSE_STEP_MS = 20;

/** Sends the audio of an answer slightly ahead of its playback, and estimates by the clock how much has been heard. */
export class Playback {
  /** Milliseconds sent. */
  sent = 0;
  private startedAt?: number;
  private paused = false;

  /** @param rate samples per second */
  constructor(
    private readonly rate: number,
    private readonly leadMs = LEAD_MS,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Milliseconds heard, if the client plays audio as soon as it arrives. */
  get played(): number {
    return this.startedAt === undefined ? 0 : Math.min(this.sent, this.now() - this.startedAt);
  }

  /** Milliseconds sent but not heard yet. */
  get ahead(): number {
    return this.sent - this.played;
  }

  /** Stops sending until {@link resume}. */
  pause(): void {
    this.paused = true;
  }

  resume(): void {
    this.paused = false;
  }

  /** Sends samples in pieces, each as soon as the buffer allows. Ends early once the signal is aborted. */
  async send(samples: Int16Array, emit: (piece: Int16Array) => void, signal: AbortSignal): Promise<void> {
    const length = (this.rate * CHUNK_MS) / 1000;
    for (let at = 0; at < samples.length; at += length) {
      await this.untilDue(signal);
      if (signal.aborted) return;
      const piece = samples.subarray(at, at + length);
      emit(piece);
      // After an underrun: playback stood still while it waited.
      this.startedAt = Math.max(this.startedAt ?? 0, this.now() - this.sent);
      this.sent += (piece.length / this.rate) * 1000;
    }
  }

  /** Resolves when more may be sent, or the signal is aborted. */
  async untilDue(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const wait = this.paused ? PAUSE_STEP_MS : this.ahead + CHUNK_MS - this.leadMs;
      if (wait <= 0) return;
      await delay(wait, undefined, { signal }).catch(() => undefined);
    }
  }
}
