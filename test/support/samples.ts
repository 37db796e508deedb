import { aWav } from './wav.mjs';

const recordings = new Map<number, Buffer>();

/** A tone, by default of a second, as WAV: 16-bit mono at 8 kHz. */
export function aRecording(seconds = 1): Buffer {
  const recording = recordings.get(seconds) ?? aWav(8000, Math.round(8000 * seconds), (n) => 8000 * Math.sin(n / 5));
  recordings.set(seconds, recording);
  return Buffer.from(recording);
}
