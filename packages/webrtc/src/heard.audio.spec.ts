import { HeardAudio } from './heard.audio.js';

/** 10 ms each of a tone, at a rate. */
function* tone(hz: number, rate: number, count: number): Generator<Int16Array> {
  for (let n = 0; n < count; n++)
    yield Int16Array.from({ length: rate / 100 }, (_, at) =>
      Math.round(10_000 * Math.sin((2 * Math.PI * hz * ((n * rate) / 100 + at)) / rate)),
    );
}
const heard = (hz: number, sampleRate: number): Int16Array[] => {
  const pieces: Int16Array[] = [];
  const audio = new HeardAudio((piece) => pieces.push(piece));
  for (const samples of tone(hz, sampleRate, 20)) audio.add({ samples, sampleRate });
  return pieces;
};
const levelOf = (samples: Int16Array) => Math.sqrt(samples.reduce((sum, one) => sum + one * one, 0) / samples.length);

it.each([48_000, 24_000, 16_000, 8000])('from %i samples per second, a tone arrives in pieces of 40 ms', (rate) => {
  const pieces = heard(400, rate);
  expect(pieces.map(({ length }) => length)).toEqual(Array<number>(5).fill(960));
  const all = Int16Array.from(pieces.flatMap((piece) => [...piece]));
  expect(Math.abs(levelOf(all) / (10_000 / Math.SQRT2) - 1)).toBeLessThan(0.02);
  const crossings = all.filter((sample, at) => at > 0 && sample >= 0 && all[at - 1]! < 0).length;
  expect(Math.abs(crossings - 80)).toBeLessThanOrEqual(1);
});

it('what is too high for 24 kHz is not heard as something lower', () => {
  expect(levelOf(heard(6000, 48_000)[3]!)).toBeGreaterThan(6000);
  expect(levelOf(heard(20_000, 48_000)[3]!)).toBeLessThan(700);
});

it('one of two channels is enough', () => {
  const pieces: Int16Array[] = [];
  const audio = new HeardAudio((piece) => pieces.push(piece));
  const samples = Int16Array.from({ length: 960 }, (_, at) => (at % 2 === 0 ? 500 : -500));
  for (let n = 0; n < 8; n++) audio.add({ samples, sampleRate: 48_000, channelCount: 2 });
  expect(Math.min(...pieces[1]!)).toBe(500);
});
