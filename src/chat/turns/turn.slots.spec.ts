import { Owner } from '../../auth/index.js';
import { Config } from '../../platform/config/index.js';
import { TURN_SLOTS, USER_TURN_SLOTS, TurnSlots } from './turn.slots.js';

const ann = new Owner('default', 'ann');
const placesWith = (enabled: boolean) => new TurnSlots(new Config({ rateLimits: { enabled } }));
const taken = (slots: TurnSlots, count: number, owner: (n: number) => Owner) =>
  Array.from({ length: count }, (_, n) => slots.take(owner(n)));
const crowd = (n: number) => new Owner('default', `user-${n}`);

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
    expect(() => slots.take(ann)).toThrow(RATE_LIMITED);
    slots.take(new Owner('default', 'bob'));
    slots.take(new Owner('other', 'ann'));
    leave[0]!();
    slots.take(ann);
    expect(() => slots.take(ann)).toThrow(RATE_LIMITED);
  });

  it('are limited in all', () => {
    const slots = placesWith(true);
    const leave = taken(slots, TURN_SLOTS, crowd);
    expect(() => slots.take(ann)).toThrow(UNAVAILABLE);
    leave[500]!();
    slots.take(ann);
    expect(() => slots.take(ann)).toThrow(UNAVAILABLE);
    expect(slots.size).toBe(TURN_SLOTS);
  });

  it('are limited only in all if rate limits are off', () => {
    const slots = placesWith(false);
    taken(slots, TURN_SLOTS, () => ann);
    expect(() => slots.take(ann)).toThrow(UNAVAILABLE);
  });
});
