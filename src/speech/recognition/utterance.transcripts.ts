import { Readable } from 'node:stream';
import type { TranscriptionEvent } from '../transcription.stream.js';
import { wavOf } from './wav.js';

/** Maximum number of queued utterances; further ones get no transcript. */
const WAITING_LIMIT = 4;
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
    const signal = AbortSignal.any([this.closing.signal, AbortSignal.timeout(TRANSCRIPTION_MS)]);
    const audio = Readable.from([wavOf(samples, rate)]);
    try {
      const text = this.transcribe({ audio, content_type: 'audio/wav', language_code, signal });
      return (await Promise.race([text, aborted(signal)])) ?? '';
    } catch {
      return undefined;
    }
  }
}

/** A transcriber should end when its signal is aborted; if it does not, later utterances must not wait for it. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
  });
}
