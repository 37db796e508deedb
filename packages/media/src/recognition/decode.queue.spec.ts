import { DecodeQueue } from './decode.queue.js';

/** Audio whose transcript is a number. */
const sound = (number: number) => Float32Array.of(number);

describe('DecodeQueue', () => {
  let begun: number[];
  let end: (() => void)[];
  let now: number;
  let queue: DecodeQueue;
  beforeEach(() => {
    [begun, end, now] = [[], [], 0];
    queue = new DecodeQueue(
      ([number]) => {
        begun.push(number!);
        return new Promise((resolve, reject) =>
          end.push(number === 13 ? () => reject(new Error('no words')) : () => resolve(String(number))),
        );
      },
      () => now,
    );
  });
  /** Decodes everything in the queue. */
  const run = async () => {
    for (let n = 0; n < 100; n++) {
      end.shift()?.();
      await Promise.resolve();
    }
  };

  it('decodes final audio first, two at a time, then audio that may become final, and recordings last, when nothing else is queued', async () => {
    const words = [
      queue.add(sound(1), 'recording', 'somebody'),
      queue.add(sound(2), 'recording', 'somebody'),
      queue.add(sound(3), 'guess', 'somebody'),
      queue.add(sound(4), 'guess', 'somebody'),
      queue.add(sound(5), 'guess', 'somebody'),
      queue.add(sound(6), 'final', 'somebody'),
    ];
    expect(begun).toEqual([1, 6]);
    words[4]!.makeFinal();
    expect(begun).toEqual([1, 6]);
    end.shift()!();
    await words[0]!.text;
    expect(begun).toEqual([1, 6, 5]);
    await run();
    expect(begun).toEqual([1, 6, 5, 3, 4, 2]);
    expect(await Promise.all(words.map(({ text }) => text))).toEqual(['1', '2', '3', '4', '5', '6']);
  });

  it('skips cancelled jobs, and continues after failed ones', async () => {
    const failing = queue.add(sound(13), 'final', 'somebody');
    const other = queue.add(sound(14), 'final', 'somebody');
    const cancelled = queue.add(sound(2), 'final', 'somebody');
    const last = queue.add(sound(3), 'final', 'somebody');
    cancelled.cancel();
    cancelled.cancel();
    await run();
    expect(await Promise.all([failing, other, cancelled, last].map(({ text }) => text))).toEqual([
      undefined,
      '14',
      undefined,
      '3',
    ]);
    expect(begun).toEqual([13, 14, 3]);
  });

  it('limits the queue', async () => {
    const words = Array.from({ length: 35 }, (_, n) => queue.add(sound(100 + n), 'final', 'somebody'));
    await run();
    const texts = await Promise.all(words.map(({ text }) => text));
    expect(texts.filter((text) => text === undefined)).toHaveLength(1);
    expect(texts[34]).toBeUndefined();
  });

  it('serves owners in turns, and lets those with the most give way once it is full', async () => {
    const greedy = Array.from({ length: 34 }, (_, n) => queue.add(sound(100 + n), 'final', 'greedy'));
    const modest = [200, 201].map((number) => queue.add(sound(number), 'final', 'modest'));
    expect(await Promise.all(greedy.slice(-2).map(({ text }) => text))).toEqual([undefined, undefined]);
    await run();
    expect(begun.slice(0, 6)).toEqual([100, 101, 102, 200, 103, 201]);
    expect(await Promise.all(modest.map(({ text }) => text))).toEqual(['200', '201']);
    expect(await Promise.all(greedy.slice(0, -2).map(({ text }) => text))).not.toContain(undefined);
  });

  it('decodes partial transcripts only when idle, for a share of the time', async () => {
    expect(queue.isFree(false)).toBe(true);
    const shown = queue.partial(sound(1), 'somebody');
    expect(queue.isFree(true)).toBe(false);
    now = 100;
    await run();
    expect(await shown).toBe('1');
    now = 599;
    expect([queue.isFree(false), queue.isFree(true)]).toEqual([false, true]);
    now = 600;
    expect(queue.isFree(false)).toBe(true);
  });
});
