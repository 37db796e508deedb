import { AudioSink } from './audio.sink.js';
import { joinedIn, lengthOf, toMilliseconds } from './samples.js';
import type { PhonemeTime, Speech } from './speech.samples.js';

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

/** Samples that are encoded at once: the encoder copies them. */
const CHUNK = 65_536;

/** Encodes audio as MP3. */
export class Mp3 extends AudioSink {
  private constructor(private readonly encoder: Encoder) {
    super();
  }

  /** @throws Error with the code `ERR_MODULE_NOT_FOUND` if the optional package is not installed */
  static async load(): Promise<Mp3> {
    const { createMp3Encoder } = await import(PACKAGE);
    return new Mp3(await createMp3Encoder());
  }

  override startAudio(sampleRate: number): void {
    super.startAudio(sampleRate);
    this.encoder.configure({ channels: 1, sampleRate, bitrate: BITRATE });
  }

  /** 1105 samples, of the encoder and the decoder together. */
  get delay(): number {
    return 1105 / this.sampleRate;
  }

  finish(_: string, phonemes: readonly PhonemeTime[]): Speech {
    const sound = this.takeSound();
    const parts: Uint8Array[] = [];
    for (let at = 0; at < sound.length; at += CHUNK)
      parts.push(this.encoder.encode([sound.subarray(at, at + CHUNK)]).slice());
    parts.push(this.encoder.finalize().slice());
    const audio = joinedIn<Uint8Array>(new Uint8Array(lengthOf(parts)), parts);
    const seconds = toMilliseconds((audio.length * 8) / (BITRATE * 1000));
    return { audio, content_type: 'audio/mpeg', seconds, phonemes };
  }
}
