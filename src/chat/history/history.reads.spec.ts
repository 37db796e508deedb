import { DatabaseUnavailableError } from '../../platform/database/index.js';
import { HistoryReads } from './history.reads.js';

let reads: HistoryReads;
/** The owner of each read in flight, with a function that completes it. */
let inProgress: { user_id: string; end: () => void }[];
beforeEach(() => {
  reads = new HistoryReads();
  inProgress = [];
});
afterEach(() => jest.useRealTimers());

const read = (user_id: string, isKnown = () => true, address: string[] = []) =>
  reads.run([user_id, ...address], isKnown, () => new Promise<void>((end) => inProgress.push({ user_id, end })));
const settled = () => new Promise(setImmediate);
const endAll = async () => {
  while (inProgress.length > 0) {
    inProgress.shift()!.end();
    await settled();
  }
};

describe('concurrent reads of histories', () => {
  it('are limited to twelve per user and sixteen in all; the others queue', async () => {
    const all = Array.from({ length: 20 }, () => read('ann'));
    await settled();
    expect(inProgress).toHaveLength(12);
    for (let n = 0; n < 20; n++) all.push(read(`user-${n}`));
    await settled();
    expect(inProgress).toHaveLength(16);
    await endAll();
    expect(await Promise.all(all)).toHaveLength(40);
  });

  it('are limited to one per user while the size of the messages is unknown', async () => {
    let isKnown = false;
    const all = Array.from({ length: 20 }, () => read('ann', () => isKnown));
    all.push(read('bob', () => false));
    await settled();
    expect(inProgress.map(({ user_id }) => user_id)).toEqual(['ann', 'bob']);
    isKnown = true;
    inProgress.shift()!.end();
    await settled();
    expect(inProgress.filter(({ user_id }) => user_id === 'ann')).toHaveLength(12);
    await endAll();
    await Promise.all(all);
  });

  it('of a user do not wait for another user with many', async () => {
    const all = Array.from({ length: 50 }, () => read('ann'));
    all.push(read('bob'));
    await settled();
    expect(inProgress.map(({ user_id }) => user_id)).toContain('bob');
    await endAll();
    await Promise.all(all);
  });

  it('continue after one that failed', async () => {
    for (let n = 0; n < 20; n++) {
      const failed = reads.run(
        ['ann'],
        () => true,
        () => Promise.reject(new Error('broken')),
      );
      await expect(failed).rejects.toThrow('broken');
    }
    expect(
      await reads.run(
        ['ann'],
        () => true,
        async () => 'read',
      ),
    ).toBe('read');
  });

  it('are rejected if too many of one user, or in all, are queued', async () => {
    // On a busy machine the real queue timeout would be exceeded.
    jest.useFakeTimers({ doNotFake: ['setImmediate'] });
    const all = Array.from({ length: 212 }, () => read('ann'));
    await expect(read('ann')).rejects.toMatchObject({ status: 429, code: 'rate_limited' });
    const newest = all.pop()!.catch((error: unknown) => error);
    for (let n = 0; n < 1804; n++) all.push(read(`user-${n}`));
    all.push(read('bob'));
    expect(await newest).toBeInstanceOf(DatabaseUnavailableError);
    await endAll();
    await Promise.all(all);
  });

  it('are rejected if every place is taken by users who have no more', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate'] });
    const all = Array.from({ length: 2016 }, (_, n) => read(`user-${n}`));
    await expect(read('bob')).rejects.toThrow(DatabaseUnavailableError);
    await endAll();
    await Promise.all(all);
  });

  it('of an address with many users leave others their own', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate'] });
    const crowd = Array.from({ length: 2016 }, (_, n) => read(`user-${n}`, () => true, ['192.0.2.1']));
    const given = Promise.allSettled(crowd);
    const modest = read('bob', () => true, ['192.0.2.2']);
    await settled();
    inProgress.shift()!.end();
    await settled();
    expect(inProgress.map(({ user_id }) => user_id)).toContain('bob');
    await endAll();
    await modest;
    expect((await given).filter(({ status }) => status === 'rejected')).toHaveLength(1);
  });

  it('do not queue forever', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate'] });
    const all = Array.from({ length: 12 }, () => read('ann'));
    const late = read('ann').catch((error: unknown) => error);
    await jest.advanceTimersByTimeAsync(1000);
    expect(await late).toBeInstanceOf(DatabaseUnavailableError);
    jest.useRealTimers();
    await endAll();
    await Promise.all(all);
    await Promise.all([read('ann'), endAll()]);
  });
});
