/**
 * Whisper's features of 8 s of sound: 80 mel bands of 800 frames, with which Smart Turn was trained. The sound is brought
 * to mean 0 and variance 1 first.
 */
const RATE = 16_000;
export const TURN_SAMPLES = 8 * RATE;
const [SIZE, HOP, BANDS, FRAMES] = [400, 160, 80, 800];
/** The transform's size as a product, so that it takes 41 steps per bin instead of 400. */
const [OUTER, INNER] = [16, 25];
const COS = Float64Array.from({ length: SIZE }, (_, at) => Math.cos((2 * Math.PI * at) / SIZE));
const SIN = Float64Array.from({ length: SIZE }, (_, at) => -Math.sin((2 * Math.PI * at) / SIZE));
const WINDOW = COS.map((cosine) => 0.5 - 0.5 * cosine);
const FILTERS = melFilters();

/** @param sound at 16 kHz; what is missing of 8 s is silence before it. @returns band by band */
export function logMel(sound: Float32Array): Float32Array {
  const padded = normalized(sound);
  const features = new Float32Array(BANDS * FRAMES);
  const [re, im] = [new Float64Array(SIZE), new Float64Array(SIZE)];
  const powers = [new Float64Array(SIZE / 2 + 1), new Float64Array(SIZE / 2 + 1)];
  let loudest = -Infinity;
  /** The silence before the sound; its frames are equal. */
  const silence = TURN_SAMPLES - sound.length - SIZE;
  // Two frames at a time, as the real and the imaginary part of one transform.
  for (let frame = 0; frame < FRAMES; frame += 2) {
    if (frame > 0 && (frame + 1) * HOP <= silence) {
      for (let band = 0; band < BANDS; band++)
        features.fill(features[band * FRAMES]!, band * FRAMES + frame, band * FRAMES + frame + 2);
      continue;
    }
    for (let at = 0; at < SIZE; at++) {
      re[at] = padded[frame * HOP + at]! * WINDOW[at]!;
      im[at] = padded[(frame + 1) * HOP + at]! * WINDOW[at]!;
    }
    transform(re, im);
    for (let bin = 0; bin <= SIZE / 2; bin++) {
      const other = (SIZE - bin) % SIZE;
      powers[0]![bin] = ((re[bin]! + re[other]!) ** 2 + (im[bin]! - im[other]!) ** 2) / 4;
      powers[1]![bin] = ((im[bin]! + im[other]!) ** 2 + (re[bin]! - re[other]!) ** 2) / 4;
    }
    for (let next = 0; next < 2; next++)
      for (let band = 0; band < BANDS; band++) {
        const { first, weights } = FILTERS[band]!;
        let sum = 0;
        for (let at = 0; at < weights.length; at++) sum += weights[at]! * powers[next]![first + at]!;
        const level = Math.log10(Math.max(1e-10, sum));
        loudest = Math.max(loudest, level);
        features[band * FRAMES + frame + next] = level;
      }
  }
  return features.map((level) => (Math.max(level, loudest - 8) + 4) / 4);
}

/** With half a frame at both ends, mirrored. */
function normalized(sound: Float32Array): Float64Array {
  const whole = new Float64Array(TURN_SAMPLES);
  whole.set(sound.subarray(-TURN_SAMPLES), Math.max(0, TURN_SAMPLES - sound.length));
  const mean = whole.reduce((sum, sample) => sum + sample, 0) / TURN_SAMPLES;
  const variance = whole.reduce((sum, sample) => sum + (sample - mean) ** 2, 0) / TURN_SAMPLES;
  const scale = 1 / Math.sqrt(variance + 1e-7);
  const half = SIZE / 2;
  const last = TURN_SAMPLES - 1;
  return new Float64Array(TURN_SAMPLES + SIZE).map((_, at) => {
    const from = Math.abs(at - half);
    return (whole[from > last ? 2 * last - from : from]! - mean) * scale;
  });
}

const [stepRe, stepIm] = [new Float64Array(SIZE), new Float64Array(SIZE)];

/** A Fourier transform of {@link SIZE} complex numbers in place. */
function transform(re: Float64Array, im: Float64Array): void {
  for (let inner = 0; inner < INNER; inner++)
    for (let k = 0; k < OUTER; k++)
      sumOf(re, im, inner, INNER, OUTER, inner * k, INNER * k, stepRe, stepIm, k * INNER + inner);
  for (let k = 0; k < OUTER; k++)
    for (let bin = 0; bin < INNER; bin++)
      sumOf(stepRe, stepIm, k * INNER, 1, INNER, 0, OUTER * bin, re, im, k + OUTER * bin);
}

/** Adds `count` numbers, each turned by some steps of a circle, and further ones from number to number. */
function sumOf(
  fromRe: Float64Array,
  fromIm: Float64Array,
  first: number,
  stride: number,
  count: number,
  turn: number,
  further: number,
  toRe: Float64Array,
  toIm: Float64Array,
  to: number,
): void {
  let sumRe = 0;
  let sumIm = 0;
  for (let at = 0, from = first, angle = turn % SIZE; at < count; at++, from += stride) {
    sumRe += fromRe[from]! * COS[angle]! - fromIm[from]! * SIN[angle]!;
    sumIm += fromRe[from]! * SIN[angle]! + fromIm[from]! * COS[angle]!;
    angle += further;
    if (angle >= SIZE) angle -= SIZE;
  }
  toRe[to] = sumRe;
  toIm[to] = sumIm;
}

/** Triangles of equal area on Slaney's mel scale, which is linear up to 1000 Hz. */
function melFilters(): { first: number; weights: Float64Array }[] {
  const step = Math.log(6.4) / 27;
  const top = 15 + Math.log(8) / step;
  const hertz = Array.from({ length: BANDS + 2 }, (_, at) => {
    const mel = (top * at) / (BANDS + 1);
    return mel < 15 ? (200 * mel) / 3 : 1000 * Math.exp(step * (mel - 15));
  });
  return hertz.slice(0, BANDS).map((low, band) => {
    const [middle, high] = [hertz[band + 1]!, hertz[band + 2]!];
    const heights = Array.from({ length: SIZE / 2 + 1 }, (_, bin) => {
      const at = (bin * RATE) / SIZE;
      return (Math.max(0, Math.min((at - low) / (middle - low), (high - at) / (high - middle))) * 2) / (high - low);
    });
    const first = Math.max(
      0,
      heights.findIndex((height) => height > 0),
    );
    return {
      first,
      weights: Float64Array.from(heights.slice(first, heights.findLastIndex((height) => height > 0) + 1)),
    };
  });
}
