import { Config } from '../../platform/config/index.js';
import { TURN_SLOTS, USER_TURN_SLOTS, TurnSlots } from './turn.slots.js';

const ann = ['default/ann'];
const stay = () => undefined;
const placesWith = (enabled: boolean) => new TurnSlots(new Config({ rateLimits: { enabled } }));
const taken = (slots: TurnSlots, count: number, holders: (n: number) => string[]) =>
  Array.from({ length: count }, (_, n) => slots.acquire(holders(n), stay));
const crowd = (n: number) => [`default/user-${n}`];

const RATE_LIMITED = expect.objectContaining({ status: 429, code: 'rate_limited', headers: { 'Retry-After': '1' } });
const UNAVAILABLE = expect.objectContaining({
  status: 503,
  code: 'service_unavailable',
  headers: { 'Retry-After': '1' },
});

describe('concurrent turns', () => {
  it('are limited per user, and a user of the same name in another project is another user', () => {
    const slots = placesWith(true);
    const leave = taken(slots, USER_TURN_SLOTS, () => ann);
    expect(() => slots.acquire(ann, stay)).toThrow(RATE_LIMITED);
    slots.acquire(['default/bob'], stay);
    slots.acquire(['other/ann'], stay);
    leave[0]!();
    slots.acquire(ann, stay);
    expect(() => slots.acquire(ann, stay)).toThrow(RATE_LIMITED);
  });

  it('are limited in all', () => {
    const slots = placesWith(true);
    const leave = taken(slots, TURN_SLOTS, crowd);
    expect(() => slots.acquire(ann, stay)).toThrow(UNAVAILABLE);
    leave[500]!();
    slots.acquire(ann, stay);
    expect(() => slots.acquire(ann, stay)).toThrow(UNAVAILABLE);
    expect(slots.size).toBe(TURN_SLOTS);
  });

  it('of an address with many users give way, the newest first', () => {
    const slots = placesWith(true);
    const gone: number[] = [];
    for (let n = 0; n < TURN_SLOTS; n++) slots.acquire([...crowd(n), '192.0.2.1'], () => gone.push(n));
    slots.acquire([...ann, '192.0.2.2'], stay);
    expect(gone).toEqual([TURN_SLOTS - 1]);
    expect(() => slots.acquire(['default/new', '192.0.2.1'], stay)).toThrow(UNAVAILABLE);
  });

  it('are limited only in all if rate limits are off', () => {
    const slots = placesWith(false);
    taken(slots, TURN_SLOTS, () => ann);
    expect(() => slots.acquire(ann, stay)).toThrow(UNAVAILABLE);
  });
});
