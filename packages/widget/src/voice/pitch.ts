/** The range of voices, in Hz. */
const MIN_HZ = 70;
const MAX_HZ = 350;
/** The minimum autocorrelation of a voiced sound, from 0 to 1. */
const MIN_CORRELATION = 0.6;
/** How much better a longer period must correlate, because two periods correlate as well as one. */
const MIN_IMPROVEMENT = 0.02;
/** A sufficient sample rate, in Hz. */
const SAMPLE_RATE = 12_000;

/**
 * Detects the pitch of a voice by autocorrelation.
 *
 * @param samples some 40 ms
 * @param sampleRate in Hz
 * @returns Hz; undefined for silence, noise and voiceless sounds
 */
export function pitchOf(samples: Float32Array, sampleRate: number): number | undefined {
  const step = Math.max(1, Math.round(sampleRate / SAMPLE_RATE));
  const rate = sampleRate / step;
  const x = Float32Array.from({ length: Math.floor(samples.length / step) }, (_, index) => {
    let sum = 0;
    for (let at = index * step; at < (index + 1) * step; at++) sum += samples[at]!;
    return sum / step;
  });
  let period = 0;
  let best = MIN_CORRELATION;
  for (let lag = Math.ceil(rate / MAX_HZ); lag <= rate / MIN_HZ; lag++) {
    let product = 0;
    let energy = 0;
    let laterEnergy = 0;
    for (let at = 0; at + lag < x.length; at++) {
      product += x[at]! * x[at + lag]!;
      energy += x[at]! ** 2;
      laterEnergy += x[at + lag]! ** 2;
    }
    const likeness = product / Math.sqrt(energy * laterEnergy || 1);
    if (likeness > best + (period > 0 ? MIN_IMPROVEMENT : 0)) {
      best = likeness;
      period = lag;
    }
  }
  return period > 0 ? rate / period : undefined;
}
