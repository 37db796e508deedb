import { Readable } from 'node:stream';
import { untilAborted } from 'avatar-chat-runtime';
import type { TranscriptionEvent } from './transcription.stream.js';
import { wavOf } from '../../audio/wav.js';

/** Maximum number of queued utterances; further ones get no transcript. */
const WAITING_LIMIT = 4;
/** Timeout of one transcript, in milliseconds. */
const TRANSCRIPTION_MS = 30_000;

/** A recording of one utterance, for a transcriber. */
export interface UtteranceRecording {
  readonly audio: Readable;
  readonly content_type: string;
  readonly language_code: string;
  readonly signal: AbortSignal;
}

/** Sends the utterances of one speaker to a transcriber as recordings, one at a time. */
export class UtteranceTranscripts {
  private waiting = 0;
  private last = Promise.resolve();
  private readonly closing = new AbortController();

  constructor(
    private readonly transcribe: (recording: UtteranceRecording) => Promise<string | undefined>,
    private readonly report: (heard: Extract<TranscriptionEvent, { event: 'final' }>) => void,
    private readonly timeoutMs = TRANSCRIPTION_MS,
  ) {}

  add(utterance: number, samples: Int16Array, rate: number, language_code: string): void {
    const isTooMuch = this.waiting >= WAITING_LIMIT;
    if (!isTooMuch) this.waiting++;
    this.last = this.last.then(async () => {
      const text = isTooMuch ? undefined : await this.textOf(samples, rate, language_code);
      if (!isTooMuch) this.waiting--;
      if (!this.closing.signal.aborted) this.report({ event: 'final', utterance, text });
    });
  }

  close(): void {
    this.closing.abort();
  }

  private async textOf(samples: Int16Array, rate: number, language_code: string): Promise<string | undefined> {
    if (samples.length === 0) return '';
    if (this.closing.signal.aborted) return undefined;
    // Not AbortSignal.timeout: one that only AbortSignal.any refers to may be garbage-collected, and then never aborts.
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), this.timeoutMs).unref();
    const signal = AbortSignal.any([this.closing.signal, late.signal]);
    const audio = Readable.from([wavOf(samples, rate)]);
    try {
      // A transcriber may ignore its signal; later utterances must not wait for it.
      const text = this.transcribe({ audio, content_type: 'audio/wav', language_code, signal });
      return (await untilAborted(text, signal)) ?? '';
    } catch {
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  }
}
