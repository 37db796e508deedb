import { LIVE_RATE, type TranscriptionEvent } from 'avatar-chat-media';
import type { RealtimeEvent } from 'avatar-chat-models';

/** Without new words for so long, in milliseconds of audio, a turn has ended; the server speaks at most as long over it. */
const QUIET_MS = 800;
const OVERLAP_MS = 400;
/** Words may still arrive for so long after a manual end, in milliseconds; it needs so much audio. */
const LATE_MS = 1000;
const SHORTEST_MS = 100;
/** Maximum characters of a turn. */
const MAX_TEXT = 32_000;

/** What the user says to a full-duplex server, which only sends fragments of a transcript: finds the turns in them. */
export class DuplexInput {
  private hear: (heard: TranscriptionEvent) => void = () => undefined;
  private utterance = 0;
  private turn?: { text: string; timer?: NodeJS.Timeout } | undefined;
  /** Milliseconds of audio since recognition started, at the start of the connection, at the last turn and the last words. */
  private now = 0;
  private origin = 0;
  private turnAt = 0;
  private wordsAt = 0;

  /** @param quietMs the silence that ends a turn; undefined if turns end manually */
  constructor(private readonly quietMs: () => number | undefined) {}

  begin(hear: (heard: TranscriptionEvent) => void): void {
    this.reset();
    this.origin -= this.now;
    this.now = this.turnAt = this.wordsAt = 0;
    this.hear = hear;
  }

  /** The server's time starts here. */
  connected(): void {
    this.origin = this.now;
  }

  push(samples: Int16Array): void {
    this.now += (samples.length * 1000) / LIVE_RATE;
    this.end(Math.max(QUIET_MS, this.quietMs() ?? 0));
  }

  take({ delta, start_ms }: RealtimeEvent): void {
    if (typeof delta !== 'string' || delta === '') return;
    this.wordsAt = this.now;
    const begins = !this.turn;
    const turn = (this.turn ??= { text: '' });
    turn.text = (turn.text + delta).slice(0, MAX_TEXT);
    if (this.quietMs() === undefined || turn.timer) return;
    const at = Math.max(0, Math.min(this.now, typeof start_ms === 'number' ? this.origin + start_ms : this.now));
    if (begins) this.hear({ event: 'started', utterance: ++this.utterance, at });
    this.hear({ event: 'partial', utterance: this.utterance, text: turn.text.trimStart(), isCertain: true });
  }

  /** The server speaks: the turn is over, unless the user goes on. */
  overlap(): void {
    this.end(OVERLAP_MS);
  }

  /** The turn is over if there were no words for so long. */
  end(quietMs = 0): void {
    if (!this.turn || this.turn.timer || this.quietMs() === undefined || this.now - this.wordsAt < quietMs) return;
    this.stop(this.wordsAt);
    this.finish();
  }

  /** Ends a turn manually. @returns whether there is one */
  commit(): boolean {
    if (this.now - this.turnAt < SHORTEST_MS || this.turn?.timer) return false;
    if (!this.turn || this.quietMs() === undefined) this.utterance++;
    this.turn ??= { text: '' };
    this.turn.timer = setTimeout(() => this.finish(), LATE_MS);
    this.stop(this.now);
    return true;
  }

  /** Discards what is not part of a complete turn. */
  clear(): void {
    if (this.turn?.timer) return;
    this.turn = undefined;
    this.turnAt = this.now;
  }

  /** No more words will arrive. */
  lose(): void {
    if (this.turn?.timer) this.finish();
    else this.end();
  }

  reset(): void {
    clearTimeout(this.turn?.timer);
    this.turn = undefined;
    this.hear = () => undefined;
  }

  private stop(at: number): void {
    this.turnAt = this.now;
    this.hear({ event: 'stopped', utterance: this.utterance, at });
  }

  private finish(): void {
    const { text, timer } = this.turn!;
    clearTimeout(timer);
    this.turn = undefined;
    this.hear({ event: 'final', utterance: this.utterance, text: text.trim() });
  }
}
