import { pauseAfter } from './webhook.schedule.js';

const HOUR = 3_600_000;

describe('the backoff after a failed attempt', () => {
  it('grows, and ends after the tenth', () => {
    const pauses = Array.from({ length: 10 }, (_, index) => pauseAfter(index + 1, 0, 0));
    const growing = pauses.slice(0, 9) as number[];
    expect(growing).toEqual([...growing].sort((a, b) => a - b));
    expect([pauses[0], pauses[8], pauses[9]]).toEqual([5000, 24 * HOUR, undefined]);
    expect(growing.reduce((sum, pause) => sum + pause) / HOUR).toBeCloseTo(75.6, 1);
  });

  it('has up to a tenth of random jitter', () => {
    expect(pauseAfter(1, 0, 1)).toBe(5500);
  });

  it('is as long as the receiver requests, up to a day', () => {
    expect(pauseAfter(1, 60, 0)).toBe(60_000);
    expect(pauseAfter(3, 60, 0)).toBe(HOUR / 2);
    expect(pauseAfter(1, 1_000_000, 0)).toBe(24 * HOUR);
  });
});
