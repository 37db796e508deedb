import { isoDate, LAST_DATE_MS, SystemClock } from './clock.js';

describe('a date as text', () => {
  it.each([
    [0, '1970-01-01T00:00:00.000Z'],
    [1_763_700_000_000, '2025-11-21T04:40:00.000Z'],
    [LAST_DATE_MS, '+275760-09-13T00:00:00.000Z'],
    [LAST_DATE_MS + 1, '+275760-09-13T00:00:00.000Z'],
    [-Infinity, '-271821-04-20T00:00:00.000Z'],
    [NaN, '1970-01-01T00:00:00.000Z'],
    [undefined as unknown as number, '1970-01-01T00:00:00.000Z'],
  ])('of %p is %s, and never an exception', (ms, text) => {
    expect(isoDate(ms)).toBe(text);
  });
});

it('the monotonic clock does not jump when the time is set', () => {
  const clock = new SystemClock();
  const before = clock.monotonic();
  const set = jest.spyOn(Date, 'now').mockReturnValue(0);
  expect(clock.monotonic()).toBeGreaterThanOrEqual(before);
  expect(clock.now()).toBe(0);
  set.mockRestore();
});
