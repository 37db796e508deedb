import { Resampler } from '../src/live/resampler.js';

const tone = (hertz: number, rate: number) =>
  Float32Array.from({ length: rate / 8 }, (_, n) => Math.sin((2 * Math.PI * hertz * n) / rate));
const inPieces = (samples: Float32Array, from: number, to: number, length: number) => {
  const resampler = new Resampler(from, to);
  const out: number[] = [];
  for (let at = 0; at < samples.length; at += length) out.push(...resampler.push(samples.subarray(at, at + length)));
  return out;
};
const loudness = (samples: number[]) => Math.sqrt(samples.reduce((sum, x) => sum + x * x, 0) / samples.length);

it.each([
  [48_000, 24_000],
  [44_100, 24_000],
  [24_000, 48_000],
  [24_000, 44_100],
  [16_000, 24_000],
])('preserves a voice and its length from %i to %i Hz', (from, to) => {
  const out = inPieces(tone(440, from), from, to, 128);
  const wanted = tone(440, to);
  expect(Math.abs(out.length - wanted.length)).toBeLessThan(64);
  // Skip the beginning, where the filter fills up.
  const faults = out.map((sample, n) => (n < 500 ? 0 : Math.abs(sample - wanted[n]!)));
  expect(Math.max(...faults.slice(0, wanted.length))).toBeLessThan(0.02);
});

it('filters out frequencies above the limit of the lower rate', () => {
  expect(loudness(inPieces(tone(16_000, 48_000), 48_000, 24_000, 128).slice(500))).toBeLessThan(0.005);
});

it('has no seams between chunks', () => {
  const whole = inPieces(tone(700, 44_100), 44_100, 24_000, 5_512);
  const pieces = inPieces(tone(700, 44_100), 44_100, 24_000, 101);
  expect(Math.max(...whole.map((sample, n) => Math.abs(sample - (pieces[n] ?? sample))))).toBeLessThan(1e-4);
});
