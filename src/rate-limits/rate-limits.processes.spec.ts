import { setImmediate as nextTurn } from 'node:timers/promises';
import { Clock } from '../platform/config/index.js';
import type { Database } from '../platform/database/index.js';
import type { LimitsRepository } from './rate-limits.repository.js';
import { LimitsStorage } from './rate-limits.storage.js';

const MINUTE = 60_000;
/** Turns of the event loop that the database takes for an answer, on its way there and back. */
const DISTANCE = 3;

// A machine that stops for a moment is no database that does not answer.
beforeAll(() => void jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask', 'performance'] }));
afterAll(() => void jest.useRealTimers());

class StoppedClock extends Clock {
  now = () => 1_763_700_000_000;
  override monotonic = () => 0;
}

/** Processes that share counts, each with clients that send their next request when the last one is answered. */
async function admittedBy(processes: number, limit: number, clients: number): Promise<number> {
  const counts = new Map<string, number>();
  const database = { onReady: () => undefined } as unknown as Database;
  const far = async () => {
    for (let n = 0; n < DISTANCE; n++) await nextTurn();
  };
  const limits = {
    add: async (_id: string, hits: number) => {
      await far();
      const count = (counts.get(_id) ?? 0) + hits;
      counts.set(_id, count);
      await far();
      return count;
    },
    removeAfter: async () => undefined,
  } as Pick<LimitsRepository, 'add' | 'removeAfter'> as LimitsRepository;
  const clock = new StoppedClock();
  let admitted = 0;
  const client = async (storage: LimitsStorage) => {
    while (!(await storage.increment('ann', MINUTE, limit)).isBlocked) {
      admitted++;
      await nextTurn();
    }
  };
  const storages = Array.from({ length: processes }, () => new LimitsStorage(limits, clock, database));
  await Promise.all(storages.flatMap((storage) => Array.from({ length: clients }, () => client(storage))));
  return admitted;
}

it.each([
  [1, 1],
  [3, 1.2],
  [10, 1.2],
  [100, 1.5],
])('%i processes let at most %d times a limit through', async (processes, share) => {
  for (const limit of [60, 600])
    for (const clients of [1, 4]) {
      const admitted = await admittedBy(processes, limit, clients);
      expect(admitted).toBeGreaterThanOrEqual(limit);
      expect(admitted).toBeLessThanOrEqual(limit * share);
    }
});
