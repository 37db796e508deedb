import { FairQueue, QueueFullError } from './fair-queue.js';

const settled = () => new Promise(setImmediate);
let queue: FairQueue;
let started: string[];
let ends: Map<string, () => void>;
beforeEach(() => {
  queue = new FairQueue(2, 4);
  started = [];
  ends = new Map();
});

const enter = (name: string, holders: string[], options?: Parameters<FairQueue['enter']>[1]) =>
  queue.enter(holders, options).then((leave) => {
    started.push(name);
    ends.set(name, leave);
  });
const end = async (name: string) => {
  ends.get(name)!();
  await settled();
};

describe('a fair queue', () => {
  it('starts so many at once, and the others in the order of arrival', async () => {
    for (const name of ['a', 'b', 'c', 'd']) void enter(name, [name]);
    await settled();
    expect(started).toEqual(['a', 'b']);
    expect([queue.waitingOf('c'), queue.waitingOf('a')]).toEqual([1, 0]);
    await end('b');
    await end('a');
    expect(started).toEqual(['a', 'b', 'c', 'd']);
  });

  it('starts first who has least in progress, by the address, then by the user', async () => {
    void enter('greedy 1', ['x', 'here']);
    void enter('greedy 2', ['y', 'here']);
    void enter('greedy 3', ['x', 'here']);
    void enter('neighbour', ['z', 'here']);
    void enter('modest', ['x', 'there']);
    await settled();
    await end('greedy 2');
    await end('modest');
    expect(started).toEqual(['greedy 1', 'greedy 2', 'modest', 'neighbour']);
  });

  it('passes over what may not start yet', async () => {
    const mayStart = ([user]: readonly number[]) => user === 0;
    void enter('a', ['ann'], { mayStart });
    void enter('b', ['ann'], { mayStart });
    void enter('c', ['bob'], { mayStart });
    await settled();
    expect(started).toEqual(['a', 'c']);
    expect(queue.enterAtOnce(['ann'], mayStart)).toBeUndefined();
    await end('c');
    expect(started).toEqual(['a', 'c']);
    await end('a');
    expect(started).toEqual(['a', 'c', 'b']);
  });

  it('refuses what has no place, and whoever waits for most gives way', async () => {
    const outcomes: Promise<unknown>[] = [];
    for (let n = 0; n < 6; n++) outcomes.push(enter(`${n}`, ['greedy']).catch((error: unknown) => error));
    await expect(enter('more', ['greedy'])).rejects.toThrow(QueueFullError);
    void enter('modest', ['modest']);
    expect(await outcomes[5]).toBeInstanceOf(QueueFullError);
    await end('0');
    expect(started).toEqual(['0', '1', 'modest']);
  });

  it('is left by what is aborted, before and while it waits', async () => {
    const controller = new AbortController();
    void enter('a', ['a']);
    void enter('b', ['b']);
    const waiting = enter('c', ['c'], { signal: controller.signal });
    controller.abort(new Error('late'));
    await expect(waiting).rejects.toThrow('late');
    await expect(enter('d', ['d'], { signal: controller.signal })).rejects.toThrow('late');
    expect(queue.waitingOf('c')).toBe(0);
    await end('a');
    expect(started).toEqual(['a', 'b']);
    expect(queue.enterAtOnce(['e'])).toBeDefined();
  });
});
