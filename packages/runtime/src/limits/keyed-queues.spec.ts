import { KeyedQueues } from './keyed-queues.js';

const never = () => false;
const settled = () => new Promise(setImmediate);

describe('KeyedQueues', () => {
  let queues: KeyedQueues;
  beforeEach(() => (queues = new KeyedQueues(() => new RangeError('too long'))));
  afterEach(() => jest.useRealTimers());

  it('runs the tasks of a key one after the other, and those of another key meanwhile', async () => {
    const ran: string[] = [];
    let end!: () => void;
    const first = queues.run('ann', () => new Promise<void>((resolve) => (end = resolve)), never);
    const second = queues.run('ann', async () => void ran.push('ann'), never);
    await queues.run('bob', async () => void ran.push('bob'), never);
    expect(ran).toEqual(['bob']);
    end();
    await Promise.all([first, second]);
    expect(ran).toEqual(['bob', 'ann']);
  });

  it.each([true, false])('rejects what waits with an error that ends all: %s', async (endsAll) => {
    let fail!: (error: Error) => void;
    const tasks = [
      queues.run('ann', () => new Promise((_, reject) => (fail = reject)), () => endsAll), // prettier-ignore
      queues.run('ann', async () => 'done', never),
    ];
    const outcomes = Promise.allSettled(tasks);
    await settled();
    const reason = new Error('away');
    fail(reason);
    const rejected = { status: 'rejected', reason };
    expect(await outcomes).toEqual([rejected, endsAll ? rejected : { status: 'fulfilled', value: 'done' }]);
  });

  it('rejects a task that has waited for five seconds, and goes on with the next', async () => {
    jest.useFakeTimers();
    let end!: () => void;
    const first = queues.run('ann', () => new Promise<void>((resolve) => (end = resolve)), never);
    const late = queues.run('ann', async () => 'late', never);
    jest.advanceTimersByTime(4999);
    const next = queues.run('ann', async () => 'next', never);
    jest.advanceTimersByTime(1);
    await expect(late).rejects.toEqual(new RangeError('too long'));
    end();
    await first;
    expect(await next).toBe('next');
  });
});
