import { liveSamples, samplesFrom, scaled } from './samples.js';
import { LIVE_RATE } from './speech.samples.js';

const SECONDS = 0.2;
const tone = (hertz: number, rate: number) =>
  Float32Array.from({ length: SECONDS * rate }, (_, at) => 0.5 * Math.sin((2 * Math.PI * hertz * at) / rate));
/** Without the ends, where the tone starts and stops abruptly. */
const loudest = (samples: Float32Array) => Math.max(...samples.slice(100, -100).map(Math.abs));

describe('liveSamples', () => {
  it.each([8000, 16_000, 22_050, 24_000, 44_100, 48_000])('preserves a tone of %i Hz', (rate) => {
    const converted = scaled(liveSamples(tone(1000, rate), rate));
    expect(converted).toHaveLength(SECONDS * LIVE_RATE);
    const difference = tone(1000, LIVE_RATE).map((sample, at) => sample - converted[at]!);
    expect(loudest(difference)).toBeLessThan(0.001);
  });

  it('removes frequencies above the new limit', () => {
    expect(loudest(scaled(liveSamples(tone(15_000, 48_000), 48_000)))).toBeLessThan(0.01);
  });

  it('clips values that are too loud', () => {
    expect([...liveSamples(Float32Array.of(2, -2, 0), LIVE_RATE)]).toEqual([32_767, -32_767, 0]);
  });
});

describe('samplesFrom', () => {
  it('reads two bytes each, at any offset, and drops half a sample', () => {
    expect([...samplesFrom(Uint8Array.of(9, 1, 0, 255, 255, 0, 128, 7).subarray(1))]).toEqual([1, -1, -32_768]);
  });
});
