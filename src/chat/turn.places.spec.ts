import { Owner } from '../auth/index.js';
import { Config } from '../platform/config/index.js';
import { PLACES, PLACES_OF_A_USER, TurnPlaces } from './turn.places.js';

const ann = new Owner('default', 'ann');
const placesWith = (enabled: boolean) => new TurnPlaces(new Config({ rateLimits: { enabled } }));
const taken = (places: TurnPlaces, count: number, owner: (n: number) => Owner) =>
  Array.from({ length: count }, (_, n) => places.take(owner(n)));
const crowd = (n: number) => new Owner('default', `user-${n}`);

const RATE_LIMITED = expect.objectContaining({ status: 429, code: 'rate_limited', headers: { 'Retry-After': '1' } });
const UNAVAILABLE = expect.objectContaining({
  status: 503,
  code: 'service_unavailable',
  headers: { 'Retry-After': '1' },
});

describe('the places of turns', () => {
  it('are limited for a user, not for another one or the same name in another project', () => {
    const places = placesWith(true);
    const leave = taken(places, PLACES_OF_A_USER, () => ann);
    expect(() => places.take(ann)).toThrow(RATE_LIMITED);
    places.take(new Owner('default', 'bob'));
    places.take(new Owner('other', 'ann'));
    leave[0]!();
    places.take(ann);
    expect(() => places.take(ann)).toThrow(RATE_LIMITED);
  });

  it('are limited for all together', () => {
    const places = placesWith(true);
    const leave = taken(places, PLACES, crowd);
    expect(() => places.take(ann)).toThrow(UNAVAILABLE);
    leave[500]!();
    places.take(ann);
    expect(() => places.take(ann)).toThrow(UNAVAILABLE);
    expect(places.size).toBe(PLACES);
  });

  it('are limited for all together only, where rate limits are off', () => {
    const places = placesWith(false);
    taken(places, PLACES, () => ann);
    expect(() => places.take(ann)).toThrow(UNAVAILABLE);
  });
});
