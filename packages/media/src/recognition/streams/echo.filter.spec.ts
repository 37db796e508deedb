import { EchoFilter } from './echo.filter.js';

const RATE = 24_000;
const PIECE = RATE / 50;
const DELAY = 0.08 * RATE;

/** Like a voice: noise without high frequencies, in syllables. */
function voice(seed: number, seconds: number, amplitude = 12_000): Int16Array {
  let [state, low] = [seed, 0];
  const random = () => ((state = (state * 48_271) % 2_147_483_647) / 2_147_483_647) * 2 - 1;
  return Int16Array.from({ length: seconds * RATE }, (_, at) => {
    low += 0.2 * (random() - low);
    return amplitude * low * (0.3 + Math.abs(Math.sin((at / RATE) * 9)));
  });
}

const rms = (sound: Int16Array) => Math.sqrt(sound.reduce((sum, one) => sum + one * one, 0) / sound.length);

interface Room {
  readonly avatar: Int16Array;
  /** The response of the room: gains by the delay in samples. */
  readonly response: Readonly<Record<number, number>>;
  readonly user?: Int16Array;
  /** Where the user begins to speak. */
  readonly at?: number;
  /** From where on the loudspeaker is late, and by how many samples. */
  readonly stall?: readonly [number, number];
}

/** Listens until a time in seconds, with the avatar's voice sent a second ahead. */
function listen(
  filter: EchoFilter,
  { avatar, response, user, at = 0, stall = [Infinity, 0] }: Room,
  from: number,
  to: number,
) {
  const [heard, cleaned]: [number[], number[]] = [[], []];
  const said = (sample: number) => avatar[sample >= stall[0] ? Math.max(stall[0], sample - stall[1]) : sample] ?? 0;
  for (let start = Math.round(from * RATE); start < Math.round(to * RATE); start += PIECE) {
    const sent = start === 0 ? 0 : start + RATE;
    filter.play(avatar.slice(sent, start + PIECE + RATE), start > 0);
    const piece = Int16Array.from({ length: PIECE }, (_, n) => {
      const echo = Object.entries(response).reduce(
        (sum, [late, gain]) => sum + gain * said(start + n - Number(late)),
        0,
      );
      return echo + (user?.[start + n - at] ?? 0);
    });
    heard.push(...piece);
    cleaned.push(...filter.clean(piece));
  }
  return { heard: rms(Int16Array.from(heard)), cleaned: rms(Int16Array.from(cleaned)) };
}

const avatar = voice(1, 6);
const DIRECT = { [DELAY]: 0.25 };

/** Where the last 0.3 s begin. */
const last = (seconds: number) => Math.round((seconds - 0.3) * RATE);

it.each([
  ['straight', DIRECT],
  ['with reflections', { [DELAY]: 0.25, [DELAY + 37]: -0.1, [DELAY + 130]: 0.06 }],
  ['another time, inverted', { [0.3 * RATE]: -0.5 }],
])('finds the echo of a loudspeaker, %s, and removes it', (_, response) => {
  const filter = new EchoFilter();
  const before = listen(filter, { avatar, response }, 0, 0.5);
  expect(before.cleaned).toBe(before.heard);
  expect(filter.findEcho(last(0.5))).toBe(true);
  const after = listen(filter, { avatar, response }, 0.5, 4);
  expect(after.heard).toBeGreaterThan(300);
  expect(after.cleaned).toBeLessThan(0.05 * after.heard);
});

it('finds it soon after its beginning, in a later answer as well, and although playback stood still', () => {
  const filter = new EchoFilter();
  listen(filter, { avatar, response: DIRECT }, 0, 0.3);
  expect(filter.findEcho(last(0.3))).toBe(true);
  for (let piece = 0; piece < 100; piece++) filter.clean(new Int16Array(PIECE));
  const second = { avatar: voice(7, 6), response: { [DELAY + 99]: 0.25 } };
  listen(filter, second, 0, 0.3);
  expect(filter.findEcho(last(2.6))).toBe(true);
  expect(listen(filter, second, 0.3, 1).cleaned).toBeLessThan(30);
  const late = { ...second, stall: [1.1 * RATE, 700] as const };
  listen(filter, late, 1, 1.34);
  expect(filter.findEcho(last(3.64))).toBe(true);
  expect(listen(filter, late, 1.34, 2).cleaned).toBeLessThan(30);
});

it('lets speech over the echo pass, which is none', () => {
  const filter = new EchoFilter();
  listen(filter, { avatar, response: DIRECT }, 0, 0.5);
  filter.findEcho(last(0.5));
  const over = { avatar, response: DIRECT, user: voice(5, 2), at: 0.5 * RATE };
  const { cleaned } = listen(filter, over, 0.5, 0.8);
  expect(filter.findEcho(last(0.8))).toBe(false);
  expect(cleaned).toBeGreaterThan(0.8 * rms(voice(5, 2).subarray(0, 0.3 * RATE)));
  const silent = { avatar, response: {}, user: voice(5, 2), at: 0.8 * RATE };
  const only = listen(filter, silent, 0.8, 2);
  expect(only.cleaned).toBeGreaterThan(0.8 * only.heard);
});

it('takes nothing for an echo if the avatar is silent, or nothing is heard of it', () => {
  const silent = new EchoFilter();
  expect(silent.findEcho(last(0.3))).toBe(false);
  listen(silent, { avatar: new Int16Array(0), response: {}, user: voice(3, 2) }, 0, 1);
  expect(silent.findEcho(last(1))).toBe(false);
  const headphones = new EchoFilter();
  listen(headphones, { avatar, response: {}, user: voice(3, 2) }, 0, 1);
  expect(headphones.findEcho(last(1))).toBe(false);
  listen(headphones, { avatar, response: {} }, 1, 2);
  expect(headphones.findEcho(last(2))).toBe(false);
});
