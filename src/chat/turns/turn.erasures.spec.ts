import { failure } from '../../platform/errors/index.js';
import { TurnErasures } from './turn.erasures.js';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

it('work is checked every second, also after an error of the database, until it ends', async () => {
  const found: unknown[] = [new Error('x'), undefined, failure('user_erased')];
  const assertNotErased = jest.fn(async () => {
    const error = found.shift();
    if (error !== undefined) throw error;
  });
  const erasures = new TurnErasures({ currentFence: async () => 7, assertNotErased } as never);
  const owner = { project_id: 'p', user_id: 'u' } as never;
  const onGone = jest.fn();
  const other = { owner, onGone: () => undefined, fence: 8 };
  const end = erasures.watch({ owner, onGone });
  await jest.advanceTimersByTimeAsync(2000);
  expect(assertNotErased.mock.calls).toEqual([
    [owner, 7],
    [owner, 7],
  ]);
  expect(onGone).not.toHaveBeenCalled();
  const endOther = erasures.watch(other);
  await jest.advanceTimersByTimeAsync(1000);
  expect(onGone).toHaveBeenCalledWith(expect.objectContaining({ code: 'user_erased' }));
  end();
  await jest.advanceTimersByTimeAsync(1000);
  expect(assertNotErased.mock.calls.slice(2)).toEqual([
    [owner, 7],
    [owner, 8],
    [owner, 8],
  ]);
  endOther();
  expect(jest.getTimerCount()).toBe(0);
});
