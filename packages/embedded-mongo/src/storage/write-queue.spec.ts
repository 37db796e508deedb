import { constants } from 'node:os';
import type { Reserve } from './disk.js';
import { WriteQueue } from './write-queue.js';

const full = () => Object.assign(new Error('No space left on device'), { code: constants.errno.ENOSPC });
/** An LMDB commit error: the reason is attached as a promise. */
const commitFailed = (reason: unknown) =>
  Object.assign(new Error('Commit failed'), { commitError: Promise.reject(reason as Error) });
const noSpace = { code: 14031, codeName: 'OutOfDiskSpace' };

describe('WriteQueue', () => {
  /** The values that each transaction was to write, and its outcome. */
  let transactions: unknown[][];
  let outcome: (written: unknown[]) => unknown;
  let recover: jest.Mock;
  let expectRoom: jest.Mock;
  let reserve: { release: jest.Mock };
  let queue: WriteQueue;
  let written: unknown[];
  const write = (value: unknown, removes = false) => queue.add(() => (written.push(value), value), removes);
  /** Fails any transaction that contains one of these. */
  const tooBig =
    (...values: unknown[]) =>
    (all: unknown[]) =>
      all.some((value) => values.includes(value)) ? full() : undefined;

  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    transactions = [];
    outcome = () => undefined;
    recover = jest.fn(() => Promise.resolve());
    expectRoom = jest.fn();
    reserve = { release: jest.fn(() => false) };
    queue = new WriteQueue({
      reserve: reserve as unknown as Reserve,
      recover,
      refused: () => undefined,
      expectRoom,
      transaction: async (run) => {
        await Promise.resolve();
        written = [];
        run();
        transactions.push(written);
        const failure = outcome(written);
        if (failure) throw commitFailed(failure);
      },
    });
  });
  afterEach(() => jest.useRealTimers());

  it('retries the writes of a commit that filled the disk one by one, so that only the culprit fails', async () => {
    outcome = tooBig('big');
    const first = write('first');
    const done = await Promise.allSettled([first, write('a'), write('big'), write('b')]);
    expect(transactions).toEqual([['first', 'a', 'big', 'b'], ['first'], ['a'], ['big'], ['b']]);
    expect(done.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    expect(done[2]).toMatchObject({ reason: noSpace });
    expect(recover).toHaveBeenCalledTimes(2);
  });

  it('rejects writes for a moment after that without trying, and then retries', async () => {
    outcome = tooBig('big');
    await expect(write('big')).rejects.toMatchObject(noSpace);
    await expect(write('a')).rejects.toMatchObject(noSpace);
    expect(transactions).toEqual([['big']]);
    jest.advanceTimersByTime(101);
    expect(await write('a')).toBe('a');
  });

  it('releases the reserve for deletes, once', async () => {
    reserve.release.mockReturnValueOnce(true);
    outcome = () => (reserve.release.mock.calls.length ? undefined : full());
    expect(await write('erase', true)).toBe('erase');
    outcome = full;
    await expect(write('erase more', true)).rejects.toMatchObject(noSpace);
    expect(reserve.release).toHaveBeenCalledTimes(2);
    jest.advanceTimersByTime(101);
    await expect(write('add')).rejects.toMatchObject(noSpace);
    expect(reserve.release).toHaveBeenCalledTimes(2);
  });

  it('tries deletes immediately while it rejects other writes', async () => {
    outcome = full;
    await expect(write('add')).rejects.toMatchObject(noSpace);
    outcome = () => undefined;
    expect(await write('erase', true)).toBe('erase');
  });

  it('says how much room a transaction may need, and removals less', async () => {
    await Promise.all([write('a'), write('b'), write('erase', true)]);
    await write('erase', true);
    expect(expectRoom.mock.calls).toEqual([[(4 + 3 / 16) * 2 ** 20], [2 * 2 ** 20]]);
  });

  it('treats an LMDB error within a write as a failure of the whole transaction', async () => {
    const broken = queue.add(() => {
      throw full();
    }, false);
    const after = jest.fn();
    const done = await Promise.allSettled([broken, write('a'), queue.add(after, false)]);
    // What came after it in its transaction would have been written twice.
    expect(after).toHaveBeenCalledTimes(1);
    expect(done.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
    expect(recover).toHaveBeenCalled();
  });

  it('passes on any other commit failure unchanged', async () => {
    outcome = () => Object.assign(new Error('Invalid argument'), { code: 22 });
    await expect(write('a')).rejects.toMatchObject({ code: 22 });
    outcome = () => undefined;
    expect(await write('b')).toBe('b');
  });
});
