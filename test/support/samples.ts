import { aWav } from './wav.mjs';

/** A second of a tone, as WAV: 16 bit, mono, 8 kHz. */
export function aRecording(seconds = 1): Buffer {
  return aWav(8000, Math.round(8000 * seconds), (n) => 8000 * Math.sin(n / 5));
}
