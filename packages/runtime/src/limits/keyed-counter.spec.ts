import { Counts } from './keyed-counter.js';

it('counts by key, up and down, and drops keys that are back at zero', () => {
  const counts = new Counts();
  counts.add('a', 2);
  counts.add('a', 1);
  counts.add('b', 1);
  expect([counts.get('a'), counts.get('b'), counts.get('c')]).toEqual([3, 1, 0]);
  counts.add('a', -3);
  counts.add('c', -1);
  expect([counts.get('a'), counts.get('c')]).toEqual([0, 0]);
});
