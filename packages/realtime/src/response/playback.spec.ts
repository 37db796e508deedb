import { Playback } from './playback.js';

const RATE = 1000;
const sound = (ms: number) => new Int16Array(ms);

/** A playback and its clock. */
const aPlayback = () => {
  const clock = { now: 5000 };
  return { clock, playback: new Playback(RATE, undefined, () => clock.now) };
};
const never = new AbortController().signal;

describe('playback', () => {
  it('is sent immediately up to the buffer, and heard as time passes', async () => {
    const { clock, playback } = aPlayback();
    const pieces: number[] = [];
    await playback.send(sound(1050), ({ length }) => pieces.push(length), never);
    expect(pieces).toEqual([...Array<number>(10).fill(100), 50]);
    expect([playback.sent, playback.played, playback.ahead]).toEqual([1050, 0, 1050]);
    clock.now += 400;
    expect([playback.played, playback.ahead]).toEqual([400, 650]);
    clock.now += 5000;
    expect([playback.played, playback.ahead]).toEqual([1050, 0]);
  });

  it('waits when the buffer is full, until it is stopped', async () => {
    const { playback } = aPlayback();
    const stopping = new AbortController();
    const sending = playback.send(sound(5000), () => undefined, stopping.signal);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(playback.sent).toBe(1500);
    stopping.abort();
    await sending;
    expect(playback.sent).toBe(1500);
  });

  it('stands still while there is nothing to play', async () => {
    const { clock, playback } = aPlayback();
    await playback.send(sound(100), () => undefined, never);
    clock.now += 10_000;
    await playback.send(sound(100), () => undefined, never);
    expect(playback.played).toBe(100);
    clock.now += 30;
    expect(playback.played).toBe(130);
  });

  it('sends nothing while it is paused', async () => {
    const { playback } = aPlayback();
    playback.pause();
    const sending = playback.send(sound(200), () => undefined, never);
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(playback.sent).toBe(0);
    playback.resume();
    await sending;
    expect(playback.sent).toBe(200);
  });
});
