import { linearOfALaw, linearOfMuLaw } from 'avatar-chat-media';

/** Audio formats of the connection. Internally, audio is always 16-bit mono at 24 kHz. */
export type AudioFormat =
  | { readonly type: 'audio/pcm'; readonly rate: 24000 }
  | { readonly type: 'audio/pcmu' }
  | { readonly type: 'audio/pcma' };

export const PCM: AudioFormat = { type: 'audio/pcm', rate: 24_000 };
export const PCMU: AudioFormat = { type: 'audio/pcmu' };
export const PCMA: AudioFormat = { type: 'audio/pcma' };

/** Samples at 24 kHz for each G.711 sample at 8 kHz. */
const FACTOR = 3;
const BIAS = 0x84;
const CLIP = 32_635;
const MAX_SAMPLE = 32_767;
const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

/** Converts bytes that arrive in chunks of any length to samples. */
export class AudioDecoder {
  private odd?: number;
  private last = 0;

  constructor(private readonly format: AudioFormat) {}

  /** @returns the samples; half a sample is kept for the next chunk */
  decode(bytes: Buffer): Int16Array {
    return this.format.type === 'audio/pcm' ? this.pcm(bytes) : this.g711(bytes);
  }

  private pcm(bytes: Buffer): Int16Array {
    const whole = this.odd === undefined ? bytes : Buffer.concat([Buffer.of(this.odd), bytes]);
    this.odd = whole.length % 2 === 1 ? whole[whole.length - 1] : undefined;
    const samples = new Int16Array(whole.length >> 1);
    for (let at = 0; at < samples.length; at++) samples[at] = whole.readInt16LE(2 * at);
    return samples;
  }

  private g711(bytes: Buffer): Int16Array {
    const linear = this.format.type === 'audio/pcmu' ? linearOfMuLaw : linearOfALaw;
    const samples = new Int16Array(bytes.length * FACTOR);
    for (const [at, byte] of bytes.entries()) {
      const next = linear(byte);
      for (let step = 1; step <= FACTOR; step++)
        samples[FACTOR * at + step - 1] = Math.round(this.last + ((next - this.last) * step) / FACTOR);
      this.last = next;
    }
    return samples;
  }
}

/** Samples as bytes of a format. @param samples for G.711 a multiple of three */
export function encodeAudio(samples: Int16Array, format: AudioFormat): Buffer {
  if (format.type === 'audio/pcm') {
    const bytes = Buffer.allocUnsafe(2 * samples.length);
    for (const [at, sample] of samples.entries()) bytes.writeInt16LE(sample, 2 * at);
    return bytes;
  }
  const compressed = format.type === 'audio/pcmu' ? muLaw : aLaw;
  const bytes = Buffer.allocUnsafe(Math.floor(samples.length / FACTOR));
  for (let at = 0; at < bytes.length; at++) {
    const first = FACTOR * at;
    bytes[at] = compressed((samples[first]! + samples[first + 1]! + samples[first + 2]!) / FACTOR);
  }
  return bytes;
}

/** Decodes base64 of either alphabet; undefined if it is invalid. */
export function fromBase64(text: string): Buffer | undefined {
  if (!BASE64.test(text)) return undefined;
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  return (text.length - padding) % 4 === 1 ? undefined : Buffer.from(text, 'base64');
}

/** A G.711 µ-law byte. */
function muLaw(sample: number): number {
  const sign = sample < 0 ? 0x80 : 0;
  const magnitude = Math.min(CLIP, Math.abs(Math.round(sample))) + BIAS;
  const exponent = Math.max(0, Math.floor(Math.log2(magnitude)) - 7);
  const mantissa = (magnitude >> (exponent + 3)) & 0x0f;
  return ~(sign | (exponent << 4) | mantissa) & 0xff;
}

/** A G.711 A-law byte. */
function aLaw(sample: number): number {
  const rounded = Math.max(-MAX_SAMPLE - 1, Math.min(MAX_SAMPLE, Math.round(sample)));
  // Of a negative number, the one's complement; in 12 bits.
  const magnitude = (rounded < 0 ? ~rounded : rounded) >> 3;
  const exponent = magnitude < 32 ? 0 : Math.floor(Math.log2(magnitude)) - 4;
  const mantissa = (magnitude >> Math.max(1, exponent)) & 0x0f;
  return ((rounded < 0 ? 0 : 0x80) | (exponent << 4) | mantissa) ^ 0x55;
}
