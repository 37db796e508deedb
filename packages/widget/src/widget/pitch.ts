/** Voices lie between these, in Hz. */
const LOWEST = 70;
const HIGHEST = 350;
/** So alike, from 0 to 1, a sound is to itself a period later if it is voiced. */
const VOICED = 0.6;
/** A longer period must be so much more alike, since two periods are as alike as one. */
const CLEARER = 0.02;
/** Samples a second that are enough. */
const RATE = 12_000;

/**
 * The pitch of a voice by autocorrelation.
 *
 * @param samples some 40 ms
 * @param sampleRate a second
 * @returns Hz; undefined for silence, noise and voiceless sounds
 */
export function pitchOf(samples: Float32Array, sampleRate: number): number | undefined {
  const step = Math.max(1, Math.round(sampleRate / RATE));
  const rate = sampleRate / step;
  const x = Float32Array.from({ length: Math.floor(samples.length / step) }, (_, index) => {
    let sum = 0;
    for (let at = index * step; at < (index + 1) * step; at++) sum += samples[at]!;
    return sum / step;
  });
  let period = 0;
  let best = VOICED;
  for (let lag = Math.ceil(rate / HIGHEST); lag <= rate / LOWEST; lag++) {
    let product = 0;
    let energy = 0;
    let laterEnergy = 0;
    for (let at = 0; at + lag < x.length; at++) {
      product += x[at]! * x[at + lag]!;
      energy += x[at]! ** 2;
      laterEnergy += x[at + lag]! ** 2;
    }
    const likeness = product / Math.sqrt(energy * laterEnergy || 1);
    if (likeness > best + (period > 0 ? CLEARER : 0)) {
      best = likeness;
      period = lag;
    }
  }
  return period > 0 ? rate / period : undefined;
}
