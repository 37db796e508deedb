import type { TranscriptionEvent, TranscriptionStream, TranscriptionOptions } from 'avatar-chat-media';

const RATE = 24_000;
const LOUD = 800;

/** Treats everything loud as speech, and transcribes it as the same words, one by one. */
export class LoudnessListener implements TranscriptionStream {
  private readonly words: readonly string[];
  private received = 0;
  private utterance = 0;
  private since?: number;
  private loudAt = 0;
  private told = 0;
  private uncommitted = 0;

  constructor(
    private options: TranscriptionOptions,
    private readonly hear: (heard: TranscriptionEvent) => void,
    text = 'Tell me a story',
  ) {
    this.words = text.split(/(?= )/);
  }

  push(samples: Int16Array): void {
    this.received += samples.length;
    this.uncommitted += samples.length;
    const at = (this.received * 1000) / RATE;
    const level = Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / (samples.length || 1));
    const { detection } = this.options;
    if (!detection) return;
    if (level > LOUD) {
      this.loudAt = at;
      if (this.since === undefined) this.begin(at);
    }
    if (this.since === undefined) return;
    const words = Math.min(this.words.length, Math.floor((at - this.since) / 300));
    if (words > this.told) this.partial(words);
    if (at - this.loudAt > detection.silence_duration_ms) this.end(this.loudAt);
  }

  configure(options: TranscriptionOptions): void {
    this.options = options;
  }

  commit(): boolean {
    if (this.uncommitted === 0) return false;
    if (this.since === undefined) this.utterance++;
    this.end((this.received * 1000) / RATE);
    return true;
  }

  clear(): void {
    this.uncommitted = 0;
    this.since = undefined;
  }

  close(): void {
    this.clear();
  }

  private begin(at: number): void {
    this.since = at;
    this.told = 0;
    this.utterance++;
    this.hear({ utterance: this.utterance, event: 'started', at });
  }

  private partial(words: number): void {
    this.told = words;
    this.hear({ utterance: this.utterance, event: 'partial', text: this.words.slice(0, words).join('') });
  }

  private end(at: number): void {
    this.since = undefined;
    this.uncommitted = 0;
    const { utterance } = this;
    setImmediate(() => {
      this.hear({ utterance, event: 'stopped', at });
      this.hear({ utterance, event: 'final', text: this.words.join('') });
    });
  }
}
