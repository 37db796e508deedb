import type { TranscriptionEvent, TranscriptionStream } from './transcription.stream.js';
import { joinedIn } from '../../audio/samples.js';
import { LIVE_RATE } from '../../audio/speech.samples.js';

/** Maximum length of an utterance in samples; the rest is dropped. */
const LONGEST = 60 * LIVE_RATE;

/** A stream without speech detection: an utterance is the audio between one {@link commit} and the next. */
export class CommitStream implements TranscriptionStream {
  private pieces: Int16Array[] = [];
  private length = 0;
  private position = 0;
  private last = 0;
  private isClosed = false;

  constructor(
    private readonly report: (heard: Extract<TranscriptionEvent, { event: 'stopped' }>) => void,
    private readonly transcribe: (utterance: number, sound: Int16Array) => void,
  ) {}

  push(samples: Int16Array): void {
    this.position += samples.length;
    const piece = samples.slice(0, LONGEST - this.length);
    if (this.isClosed || piece.length === 0) return;
    this.pieces.push(piece);
    this.length += piece.length;
  }

  configure(): void {}

  commit(): boolean {
    if (this.isClosed || this.length === 0) return false;
    const sound = joinedIn(new Int16Array(this.length), this.pieces);
    this.clear();
    const utterance = ++this.last;
    this.report({ event: 'stopped', utterance, at: Math.round((1000 * this.position) / LIVE_RATE) });
    this.transcribe(utterance, sound);
    return true;
  }

  clear(): void {
    [this.pieces, this.length] = [[], 0];
  }

  close(): void {
    this.isClosed = true;
    this.clear();
  }
}
