import { MAX_TEXT, type UpstreamInput } from './upstream.input.js';

/** Without new words for so long, in milliseconds of audio, a turn has ended. */
const QUIET_MS = 800;
/** Words may still arrive for so long after a manual end. */
const LATE_MS = 1000;

/** A full-duplex server only sends fragments of a transcript: finds the turns in them, and tells them as OpenAI Realtime does. */
export class DuplexInput {
  private text?: string | undefined;
  private count = 0;
  private sinceWords = 0;
  private late?: NodeJS.Timeout | undefined;

  /** @param silenceMs that ends a turn; undefined if turns end manually */
  constructor(
    private readonly input: UpstreamInput,
    private readonly silenceMs: () => number | undefined,
  ) {}

  push(ms: number): void {
    this.sinceWords += ms;
    this.endTurn(Math.max(QUIET_MS, this.silenceMs() ?? 0));
  }

  takeWords(delta: string, start_ms: unknown): void {
    const item_id = this.text === undefined ? `turn_${++this.count}` : `turn_${this.count}`;
    const isManual = this.silenceMs() === undefined;
    if (this.text === undefined && !isManual)
      this.input.take({ type: 'input_audio_buffer.speech_started', item_id, audio_start_ms: start_ms });
    this.text = ((this.text ?? '') + delta).slice(0, MAX_TEXT);
    this.sinceWords = 0;
    if (!isManual) this.input.take({ type: 'conversation.item.input_audio_transcription.delta', item_id, delta });
  }

  /** The turn is over if there were no words for so long. */
  endTurn(quietMs = 0): void {
    if (this.text !== undefined && this.silenceMs() !== undefined && this.sinceWords >= quietMs) this.finishTurn();
  }

  /** Ends a turn manually. @returns whether there is one */
  commit(): boolean {
    if (this.late || !this.input.commit()) return false;
    if (this.text === undefined) this.count++;
    this.late = setTimeout(() => this.finishTurn(), LATE_MS);
    return true;
  }

  clear(): void {
    if (this.late) return;
    this.text = undefined;
    this.input.clear();
  }

  /** Nothing more will arrive. */
  reset(): void {
    clearTimeout(this.late);
    this.late = this.text = undefined;
  }

  private finishTurn(): void {
    const [item_id, transcript] = [`turn_${this.count}`, this.text ?? ''];
    this.reset();
    this.input.take({ type: 'input_audio_buffer.committed', item_id });
    this.input.take({ type: 'conversation.item.input_audio_transcription.completed', item_id, transcript });
  }
}
