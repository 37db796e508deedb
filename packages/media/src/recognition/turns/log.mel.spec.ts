import { logMel } from './log.mel.js';

/** 6 s of a sweep that comes and goes, over some noise. */
const SOUND = Float32Array.from({ length: 96_000 }, (_, at) => {
  const isOn = Math.sin(at / 3000) > -0.3;
  return 0.3 * Math.sin(at * at * 2e-6) * Number(isOn) + 0.01 * Math.sin(Number(BigInt(at) ** 3n % 1009n));
});
/** By the reference, transformers' WhisperFeatureExtractor with `do_normalize` for the same sound: band, frame, value. */
const REFERENCE = [
  [0, 0, 0.5534], [0, 199, 0.5609], [0, 200, 0.7746], [0, 345, 0.5196], [0, 512, 0.5418], [0, 798, 0.613], [0, 799, 0.6271],
  [7, 0, -0.2363], [7, 199, -0.2018], [7, 200, 0.4432], [7, 345, 1.5155], [7, 512, 0.6111], [7, 798, 0.5261], [7, 799, 0.7098],
  [33, 0, -0.2363], [33, 199, -0.2363], [33, 200, 0.2234], [33, 345, 0.3945], [33, 512, 0.2635], [33, 798, 0.3375], [33, 799, 0.6795],
  [79, 0, -0.2363], [79, 199, -0.2363], [79, 200, 0.3221], [79, 345, 0.3899], [79, 512, 0.4854], [79, 798, 0.4987], [79, 799, 0.3892],
] as const; // prettier-ignore

it('has the features of the reference to a thousandth', () => {
  const features = logMel(SOUND);
  expect(features).toHaveLength(80 * 800);
  for (const [band, frame, value] of REFERENCE)
    expect(Math.abs(features[band * 800 + frame]! - value)).toBeLessThan(1e-3);
});

it('takes the last 8 s, and has finite features of silence', () => {
  const longer = new Float32Array(200_000);
  longer.set(SOUND, 104_000);
  expect(logMel(longer)).toEqual(logMel(SOUND));
  expect(logMel(new Float32Array(0)).every(Number.isFinite)).toBe(true);
});
