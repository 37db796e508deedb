import type { RealtimeEvent } from 'avatar-chat-models';
import { type TranscriptionEvent, LIVE_RATE } from 'avatar-chat-media';

/** Timeout for a transcript after the end of a turn, in milliseconds. */
const TRANSCRIPT_TIMEOUT_MS = 15_000;
/** Minimum length of a recording for a server, in samples. */
const SHORTEST = LIVE_RATE / 10;
/** Maximum characters of a transcript. */
export const MAX_TEXT = 32_000;
const TRANSCRIPTION = 'conversation.item.input_audio_transcription.';

/** An utterance, in the server's terms. */
export interface InputItem {
  readonly utterance: number;
  item_id?: string;
  /** The partial transcript. */
  text: string;
  hasStopped: boolean;
  timer?: NodeJS.Timeout;
}

/** The input of an upstream server, from its events. */
export class UpstreamInput {
  private hear: (heard: TranscriptionEvent) => void = () => undefined;
  private readonly open = new Set<InputItem>();
  private count = 0;
  /** Samples since recognition started, since the last turn, and at the start of the connection. */
  private pushed = 0;
  private sinceTurn = 0;
  private origin = 0;
  /** The turn that ended last. */
  last?: InputItem;

  /** Starts or restarts recognition. Positions count from here. */
  begin(hear: (heard: TranscriptionEvent) => void): void {
    this.reset();
    this.origin -= this.pushed;
    this.pushed = 0;
    this.hear = hear;
  }

  /** The server receives the audio that is pushed from now on. */
  connected(): void {
    this.origin = this.pushed;
  }

  push(samples: Int16Array): void {
    this.pushed += samples.length;
    this.sinceTurn += samples.length;
  }

  /** Ends a turn manually. @returns whether there is one */
  commit(): boolean {
    if (this.sinceTurn < SHORTEST) return false;
    const item = [...this.open].find(({ hasStopped }) => !hasStopped) ?? this.start();
    this.stop(item, this.milliseconds(this.pushed));
    return true;
  }

  /** Discards audio that is not part of a turn yet. */
  clear(): void {
    this.sinceTurn = 0;
    for (const item of this.open) if (!item.hasStopped) this.open.delete(item);
  }

  /** Pending transcripts will not arrive. */
  lose(): void {
    this.sinceTurn = 0;
    for (const item of this.open) this.end(item, undefined);
  }

  /** Stops. */
  reset(): void {
    for (const { timer } of this.open) clearTimeout(timer);
    this.open.clear();
    this.sinceTurn = 0;
    this.hear = () => undefined;
  }

  /** Handles an event. @returns whether it is about input */
  take(event: RealtimeEvent): boolean {
    const item = [...this.open].find(({ item_id }) => item_id !== undefined && item_id === event.item_id);
    switch (event.type) {
      case 'input_audio_buffer.speech_started': {
        const started = item ?? this.start(textOf(event.item_id));
        this.hear({ event: 'started', utterance: started.utterance, at: this.positionOf(event.audio_start_ms) });
        return true;
      }
      case 'input_audio_buffer.speech_stopped':
        if (item) this.stop(item, this.positionOf(event.audio_end_ms));
        return true;
      case 'input_audio_buffer.committed':
        this.committed(item, textOf(event.item_id));
        return true;
      case `${TRANSCRIPTION}delta`:
        if (item) this.partial(item, textOf(event.delta));
        return true;
      case `${TRANSCRIPTION}completed`:
        if (item) this.end(item, textOf(event.transcript)?.trim().slice(0, MAX_TEXT) ?? '');
        return true;
      case `${TRANSCRIPTION}failed`:
        if (item) this.end(item, undefined);
        return true;
      default:
        return false;
    }
  }

  private start(item_id?: string): InputItem {
    const utterance = ++this.count;
    const item: InputItem = { utterance, text: '', hasStopped: false, ...(item_id === undefined ? {} : { item_id }) };
    this.open.add(item);
    return item;
  }

  /** The server identifies a turn: one that it has detected, or one that was ended manually. */
  private committed(known: InputItem | undefined, item_id: string | undefined): void {
    const item = known ?? [...this.open].find((item) => item.item_id === undefined) ?? this.start(item_id);
    if (item_id !== undefined) item.item_id = item_id;
    this.stop(item, this.milliseconds(this.pushed));
  }

  private stop(item: InputItem, at: number): void {
    if (item.hasStopped || !this.open.has(item)) return;
    item.hasStopped = true;
    item.timer = setTimeout(() => this.end(item, undefined), TRANSCRIPT_TIMEOUT_MS);
    this.sinceTurn = 0;
    this.last = item;
    this.hear({ event: 'stopped', utterance: item.utterance, at });
  }

  private partial(item: InputItem, delta = ''): void {
    if (item.text.length >= MAX_TEXT) return;
    item.text = (item.text + delta).slice(0, MAX_TEXT);
    this.hear({ event: 'partial', utterance: item.utterance, text: item.text, isCertain: true });
  }

  private end(item: InputItem, text: string | undefined): void {
    this.stop(item, this.milliseconds(this.pushed));
    clearTimeout(item.timer);
    if (this.open.delete(item)) this.hear({ event: 'final', utterance: item.utterance, text });
  }

  private positionOf(ms: unknown): number {
    return typeof ms === 'number' ? this.milliseconds(this.origin) + ms : this.milliseconds(this.pushed);
  }

  private milliseconds(samples: number): number {
    return (samples * 1000) / LIVE_RATE;
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
