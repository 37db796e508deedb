import { Clock } from '../platform/config/index.js';
import { type Database, DatabaseUnavailableError } from '../platform/database/index.js';
import { LimitsStorage } from './rate-limits.storage.js';
import type { LimitsRepository } from './rate-limits.repository.js';

const MINUTE = 60_000;

class StoppedClock extends Clock {
  time = 1_763_700_000_000;
  /** How far it has been set. */
  ahead = 0;
  now = () => this.time + this.ahead;
  override monotonic = () => this.time;
}

let clock: StoppedClock;
let storage: LimitsStorage;
/** What was added to the shared counts. */
let told: { _id: string; hits: number }[];
/** What other processes have counted; undefined: the database is unavailable. */
let others: number | undefined;
/** Dates after which shared counts were removed. */
let removed: number[];
let whenReady: () => Promise<void>;
beforeEach(() => {
  clock = new StoppedClock();
  told = [];
  removed = [];
  others = 0;
  storage = new LimitsStorage(
    {
      add: async (_id: string, hits: number) => {
        told.push({ _id, hits });
        if (others === undefined) throw new DatabaseUnavailableError();
        return others + told.reduce((sum, one) => sum + (one._id === _id ? one.hits : 0), 0);
      },
      removeAfter: async (date: Date) => void removed.push(date.getTime()),
    } as Pick<LimitsRepository, 'add' | 'removeAfter'> as LimitsRepository,
    clock,
    { onReady: (work: () => Promise<void>) => void (whenReady = work) } as Database,
  );
});

const ask = async (subject = 'ann', limit = 100) => {
  const answer = await storage.increment(subject, MINUTE, limit);
  await new Promise(setImmediate); // let pending updates of the shared count settle
  return answer;
};
const askTimes = async (times: number, subject?: string) => {
  let admitted = 0;
  for (let n = 0; n < times; n++) if (!(await ask(subject)).isBlocked) admitted++;
  return admitted;
};

describe('the shared count', () => {
  it('is updated at the first request, and then in steps of a twentieth of the limit', async () => {
    await askTimes(12, 'ann');
    expect(told.map(({ hits }) => hits)).toEqual([1, 6]);
    expect(new Set(told.map(({ _id }) => _id)).size).toBe(1);
  });

  it('makes a process stop at once if the others have used up the limit', async () => {
    others = 100;
    expect(await askTimes(20)).toBe(0);
    expect(told).toHaveLength(1);
  });

  it('is not queried while a subject is blocked, until its window has ended', async () => {
    expect(await askTimes(150)).toBe(100);
    expect(told.length).toBeLessThanOrEqual(20);
    const { timeToBlockExpire, totalHits } = await ask();
    expect({ totalHits, isInWindow: timeToBlockExpire > 0 && timeToBlockExpire <= 60 }).toEqual({
      totalHits: 101,
      isInWindow: true,
    });
    clock.time += timeToBlockExpire * 1000;
    expect(await ask()).toMatchObject({ totalHits: 1, isBlocked: false });
  });

  it('gets pending counts when the database is available again', async () => {
    others = undefined;
    expect(await askTimes(12)).toBe(12);
    expect(told.map(({ hits }) => hits)).toEqual([1]);
    others = 0;
    told = [];
    clock.time += 1000;
    await ask();
    expect(told.map(({ hits }) => hits)).toEqual([13]);
  });
});

describe('a clock that was ahead and is corrected', () => {
  it.each([1, 48])('by %i hours, blocks nobody any longer', async (hours) => {
    clock.ahead = hours * 3_600_000;
    expect(await askTimes(150)).toBe(100);
    clock.ahead = 0;
    told = [];
    expect(await ask()).toMatchObject({ isBlocked: false, totalHits: 1 });
    expect(await askTimes(150)).toBe(99);
    const { isBlocked, timeToBlockExpire } = await ask();
    expect({ isBlocked, isSoon: timeToBlockExpire <= 60 }).toEqual({ isBlocked: true, isSoon: true });
  });

  it('leaves no shared counts of future windows, and keeps the current ones', async () => {
    clock.ahead = 3_600_000;
    await askTimes(20, 'ann');
    await askTimes(20, 'bob');
    clock.ahead = 0;
    await ask('ann');
    await ask('bob');
    expect(removed).toEqual([clock.now() + MINUTE + 60_000]);
    await askTimes(20, 'bob');
    expect(removed).toHaveLength(1);
  });

  it('leaves none when another process starts', async () => {
    await whenReady();
    expect(removed).toEqual([clock.now() + MINUTE + 60_000]);
  });

  it('continues to update the shared count after a failure', async () => {
    clock.ahead = 3_600_000;
    others = undefined;
    await askTimes(5);
    clock.ahead = 0;
    others = 0;
    told = [];
    clock.time += 1000;
    await askTimes(5);
    expect(told).not.toEqual([]);
  });
});

describe('without the database', () => {
  beforeEach(() => (others = undefined));

  it('the limit applies per process', async () => {
    expect(await askTimes(150)).toBe(100);
  });

  it('a bounded number of subjects is kept, including any that is still active', async () => {
    for (let n = 0; n < 65_000; n++) {
      await storage.increment(`subject-${n}`, MINUTE, 100);
      if (n % 1000 === 0) await storage.increment('ann', MINUTE, 50);
    }
    expect(storage.size).toBeLessThanOrEqual(40_000);
    expect((await ask('ann', 50)).isBlocked).toBe(true);
  });

  it('inactive subjects are dropped after two minutes', async () => {
    await askTimes(1, 'ann');
    for (let n = 0; n < 2; n++) {
      clock.time += MINUTE;
      await ask('bob');
    }
    expect(storage.size).toBe(1);
  });
});

it('windows of different subjects start at different times', async () => {
  const ends = new Set<number>();
  for (let n = 0; n < 50; n++) ends.add((await ask(`subject-${n}`)).timeToExpire);
  expect(ends.size).toBeGreaterThan(20);
});

describe.each([
  [10, 1.2],
  [100, 1.5],
])('%i processes', (processes, most) => {
  it.each([20, 60, 300, 600])(`let at most ${most} × the limit of %i through`, async (limit) => {
    let shared = 0;
    const add = async (_id: string, hits: number) => {
      // The way there and back takes a while, in which others go on.
      await new Promise(setImmediate);
      const count = (shared += hits);
      await new Promise(setImmediate);
      return count;
    };
    const storages = Array.from(
      { length: processes },
      () => new LimitsStorage({ add } as unknown as LimitsRepository, clock, { onReady: () => undefined } as never),
    );
    let admitted = 0;
    const asked: Promise<void>[] = [];
    for (let n = 0; n < 3 * limit + processes; n++) {
      const storage = storages[Math.floor(((n * 7919) % 104_729) / 7) % processes]!;
      asked.push(storage.increment('ann', MINUTE, limit).then(({ isBlocked }) => void (admitted += isBlocked ? 0 : 1)));
      if (n % 5 === 0) await new Promise(setImmediate);
    }
    await Promise.all(asked);
    expect(admitted).toBeLessThanOrEqual(most * limit);
    expect(admitted).toBeGreaterThanOrEqual(limit * 0.9);
  });
});
