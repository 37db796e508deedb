import type { AudioSink } from './audio.sink.js';

// The part of an optional package that is used here; the package, and so its types, may not be installed.
interface Encoder {
  configure(options: { channels: 1; sampleRate: number; bitrate: number }): void;
  /** @returns bytes that the next call overwrites */
  encode(channels: readonly Float32Array[]): Uint8Array;
  finalize(): Uint8Array;
}

const PACKAGE: string = 'wasm-media-encoders';
/** kbit/s, constant */
const BITRATE = 48;

/** Encodes audio as MP3, chunk by chunk. */
export class Mp3 implements AudioSink {
  private parts: Uint8Array[] = [];
  private samples = 0;
  private sampleRate = 0;

  private constructor(private readonly encoder: Encoder) {}

  /** @throws Error with the code `ERR_MODULE_NOT_FOUND` if the optional package is not installed */
  static async load(): Promise<Mp3> {
    const { createMp3Encoder } = await import(PACKAGE);
    return new Mp3(await createMp3Encoder());
  }

  startAudio(sampleRate: number): void {
    this.encoder.configure({ channels: 1, sampleRate, bitrate: BITRATE });
    this.parts = [];
    this.samples = 0;
    this.sampleRate = sampleRate;
  }

  /** @param sound samples from -1 to 1 */
  append(sound: Float32Array): void {
    this.samples += sound.length;
    this.parts.push(this.encoder.encode([sound]).slice());
  }

  /** Seconds appended so far. */
  get length(): number {
    return this.samples / this.sampleRate;
  }

  /** Seconds of silence that MP3 adds at the beginning: 1105 samples, of the encoder and the decoder together. */
  get delay(): number {
    return 1105 / this.sampleRate;
  }

  finishAudio(): { audio: Uint8Array<ArrayBuffer>; seconds: number } {
    this.parts.push(this.encoder.finalize().slice());
    const audio = new Uint8Array(this.parts.reduce((length, part) => length + part.length, 0));
    let at = 0;
    for (const part of this.parts.splice(0)) {
      audio.set(part, at);
      at += part.length;
    }
    return { audio, seconds: toMilliseconds((audio.length * 8) / (BITRATE * 1000)) };
  }
}

/** Seconds, rounded to milliseconds. */
export function toMilliseconds(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}
