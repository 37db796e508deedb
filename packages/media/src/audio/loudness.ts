import { energyOf } from './samples.js';

/** Loudness of all speech, in LUFS: encoding as MP3 takes about 0.4 of it, and the result is to be -20 in either form. */
const TARGET = -19.8;
/** Most that quiet audio is amplified by: noise stays noise. */
const MAX_GAIN = 10;
/** Peaks above it are turned down. */
const CEILING = 0.95;
/** Seconds of a block whose loudness counts, of the steps between blocks, and between changes of the limiter. */
const BLOCK_STEPS = 4;
const STEP = 0.1;
const LIMITER_STEP = 0.005;
/** Gates in LUFS, and relative to the mean. */
const SILENCE = -70;
const QUIET = -10;

/** Adjusts speech to a loudness of -20 LUFS in place, without clipping. @param rate samples per second */
export function level(sound: Float32Array, rate: number): void {
  const loudness = loudnessOf(sound, rate);
  if (loudness === undefined) return;
  const gain = Math.min(MAX_GAIN, 10 ** ((TARGET - loudness) / 20));
  for (let at = 0; at < sound.length; at++) sound[at]! *= gain;
  limit(sound, Math.round(LIMITER_STEP * rate));
}

/** Integrated loudness of mono audio by ITU-R BS.1770-4, in LUFS; undefined if it is silent. */
export function loudnessOf(sound: Float32Array, rate: number): number | undefined {
  const weighted = filtered(filtered(sound, shelf(rate)), highPass(rate));
  const step = Math.round(STEP * rate);
  const powers = Array.from(
    { length: Math.max(BLOCK_STEPS, Math.floor(sound.length / step)) },
    (_, at) => energyOf(weighted.subarray(at * step, (at + 1) * step)) / step,
  );
  const blocks = powers.slice(BLOCK_STEPS - 1).map((_, at) => mean(powers.slice(at, at + BLOCK_STEPS)));
  const heard = blocks.filter((power) => decibels(power) > SILENCE);
  if (heard.length === 0) return undefined;
  const gate = decibels(mean(heard)) + QUIET;
  return decibels(mean(heard.filter((power) => decibels(power) > gate)));
}

/** Turned down around peaks: between steps the gain changes evenly, and is never above what either side allows. */
function limit(sound: Float32Array, step: number): void {
  const allowed = Array.from({ length: Math.ceil(sound.length / step) }, (_, at) => {
    let peak = 0;
    for (const sample of sound.subarray(at * step, (at + 1) * step)) peak = Math.max(peak, Math.abs(sample));
    return Math.min(1, CEILING / peak);
  });
  if (allowed.every((gain) => gain === 1)) return;
  const edge = (at: number) => Math.min(allowed[at - 1] ?? 1, allowed[at] ?? 1);
  for (let n = 0; n < sound.length; n++) {
    const at = Math.floor(n / step);
    const part = n / step - at;
    sound[n]! *= edge(at) * (1 - part) + edge(at + 1) * part;
  }
}

/** b0, b1, b2, a1, a2. */
type Biquad = readonly [number, number, number, number, number];

/** The standard gives the filters at 48 kHz; these are their analog prototypes at any rate. */
function shelf(rate: number): Biquad {
  const [k, q, high] = [
    Math.tan((Math.PI * 1681.974450955533) / rate),
    0.7071752369554196,
    10 ** (3.999843853973347 / 20),
  ];
  const middle = high ** 0.4996667741545416;
  const a0 = 1 + k / q + k * k;
  return [
    (high + (middle * k) / q + k * k) / a0,
    (2 * (k * k - high)) / a0,
    (high - (middle * k) / q + k * k) / a0,
    (2 * (k * k - 1)) / a0,
    (1 - k / q + k * k) / a0,
  ];
}

function highPass(rate: number): Biquad {
  const [k, q] = [Math.tan((Math.PI * 38.13547087602444) / rate), 0.5003270373238773];
  const a0 = 1 + k / q + k * k;
  return [1, -2, 1, (2 * (k * k - 1)) / a0, (1 - k / q + k * k) / a0];
}

function filtered(sound: Float32Array, [b0, b1, b2, a1, a2]: Biquad): Float32Array {
  const result = new Float32Array(sound.length);
  let [one, two] = [0, 0];
  for (let at = 0; at < sound.length; at++) {
    const sample = sound[at]!;
    const value = b0 * sample + one;
    one = b1 * sample - a1 * value + two;
    two = b2 * sample - a2 * value;
    result[at] = value;
  }
  return result;
}

function decibels(power: number): number {
  return -0.691 + 10 * Math.log10(power);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, one) => sum + one, 0) / values.length;
}
