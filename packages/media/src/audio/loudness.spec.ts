import { level, loudnessOf } from './loudness.js';

const sine = (hertz: number, amplitude: number, rate: number, seconds = 3) =>
  Float32Array.from({ length: rate * seconds }, (_, at) => amplitude * Math.sin((2 * Math.PI * hertz * at) / rate));
/** Like speech: bursts of noise with pauses, whose peaks are far above their mean. */
function bursts(amplitude: number, rate = 22_050): Float32Array {
  let seed = 1;
  const random = () => ((seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647) * 2 - 1;
  return Float32Array.from({ length: 4 * rate }, (_, at) => {
    const isPause = at % rate > 0.7 * rate;
    return isPause ? 0 : amplitude * random() ** 9;
  });
}

describe('loudnessOf', () => {
  // By the standard, a tone of 997 Hz at full scale in one channel has -3.01 LUFS.
  it.each([16_000, 22_050, 24_000, 48_000])('measures as the standard says, at %i Hz', (rate) => {
    expect(loudnessOf(sine(997, 1, rate), rate)).toBeCloseTo(-3.01, 1);
    expect(loudnessOf(sine(997, 0.1, rate), rate)).toBeCloseTo(-23.01, 1);
  });

  it('weighs low tones less, leaves pauses out, and hears nothing in silence', () => {
    expect(loudnessOf(sine(50, 1, 24_000), 24_000)!).toBeLessThan(-5);
    const paused = new Float32Array(24_000 * 9);
    paused.set(sine(997, 0.1, 24_000), 24_000 * 3);
    expect(loudnessOf(paused, 24_000)).toBeCloseTo(-23.01, 0);
    expect(loudnessOf(new Float32Array(24_000), 24_000)).toBeUndefined();
    expect(loudnessOf(new Float32Array(0), 24_000)).toBeUndefined();
  });
});

describe('level', () => {
  it.each([
    ['quiet', sine(300, 0.03, 24_000)],
    ['loud', sine(300, 0.9, 24_000)],
    ['short', sine(300, 0.03, 24_000, 0.5)],
    ['peaky', bursts(0.05)],
  ])('makes %s sound as loud as all speech, without clipping', (_, sound) => {
    const rate = sound.length % 22_050 === 0 ? 22_050 : 24_000;
    level(sound, rate);
    expect(Math.abs(loudnessOf(sound, rate)! + 20)).toBeLessThan(1);
    expect(sound.reduce((most, one) => Math.max(most, Math.abs(one)), 0)).toBeLessThanOrEqual(0.951);
  });

  it('leaves silence, and does not raise noise to speech', () => {
    const [silence, noise] = [new Float32Array(1000), sine(300, 0.000_5, 24_000)];
    level(silence, 24_000);
    level(noise, 24_000);
    expect(silence.every((one) => one === 0)).toBe(true);
    expect(loudnessOf(noise, 24_000)!).toBeLessThan(-45);
  });
});
