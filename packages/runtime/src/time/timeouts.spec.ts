import { readFile } from 'node:fs/promises';
import { afterLimit, unlessAborted, untilAborted, withTimeout } from './timeouts.js';

/** Blocks this thread. */
const block = (milliseconds: number) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
const late = () => new Error('late');

describe('a limit', () => {
  it('times out if the work never ends', async () => {
    await expect(withTimeout(new Promise(() => undefined), 16, late)).rejects.toThrow('late');
  });

  it('does not count the time in which the event loop was blocked', async () => {
    // On a busy machine, reading takes a while too.
    const read = withTimeout(readFile(__filename, 'utf8'), 1000, late);
    block(1100);
    expect(await read).toContain('does not count');
  });

  it('can be stopped', async () => {
    let calls = 0;
    const stop = afterLimit(8, () => void calls++);
    stop();
    await new Promise((resolve) => setTimeout(resolve, 40));
    expect(calls).toBe(0);
  });
});

describe('waiting with a signal', () => {
  it.each([untilAborted, unlessAborted])('has no greatest number of callers', async (wait) => {
    const { signal } = new AbortController();
    await Promise.all(Array.from({ length: 12 }, () => wait(Promise.resolve(), signal)));
    // Node.js warns of a leak above any other limit; its getMaxListeners() refuses signals.
    expect(
      Object.getOwnPropertySymbols(signal).map((key) => [key.description, Reflect.get(signal, key)]),
    ).toContainEqual(['events.maxEventTargetListeners', 0]);
  });
});
