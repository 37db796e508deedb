import { Owner } from '../../auth/index.js';
import { TurnLeases } from './turn.leases.js';

const ann = new Owner('default', 'ann');
const asked = { _id: 'm', idempotency_key: 'k', lease_until: 3000 } as never;
const holding = (renew: (...change: [Owner, string, number[], number]) => Promise<boolean>) =>
  new TurnLeases({ renew } as never, { now: () => 0 } as never).hold(ann, asked);

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

it('a repeated turn ends if its message has been erased', async () => {
  const leases = new TurnLeases({ findAnswer: async () => null, find: async () => null } as never, {} as never);
  const waiting = leases.awaitAnswer({ owner: ann, outgoing: asked } as never, {} as never);
  await expect(waiting).rejects.toMatchObject({ status: 410, code: 'user_erased' });
});

describe('a lease', () => {
  it('that another process has acquired is not renewed again', async () => {
    const renew = jest.fn(async () => false);
    const lease = holding(renew);
    await jest.advanceTimersByTimeAsync(5000);
    lease.stop();
    expect(renew).toHaveBeenCalledTimes(1);
  });

  it('is released after the renewal in progress, without those that wait for it', async () => {
    const changes: unknown[] = [];
    const lease = holding(async (_owner, _id, own, until) => {
      changes.push([own, until]);
      if (until > 0) await new Promise((resolve) => setTimeout(resolve, 2500));
      return true;
    });
    await jest.advanceTimersByTimeAsync(3200);
    const released = lease.release();
    expect(changes).toEqual([[[3000], 3001]]);
    await jest.advanceTimersByTimeAsync(1000);
    await released;
    expect(changes.slice(1)).toEqual([[[3001], 0]]);
  });
});
