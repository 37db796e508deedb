import { FairShare } from './fair-share.js';

let left: string[];
beforeEach(() => (left = []));
const taker = (share: FairShare) => (name: string, holders: string[], size?: number) =>
  share.acquire(holders, () => left.push(name), size);

it('one holder may have all, and gives its newest parts to others until they have as much', () => {
  const share = new FairShare(4);
  const take = taker(share);
  for (const name of ['g1', 'g2', 'g3', 'g4']) expect(take(name, ['greedy'])).toBeDefined();
  expect(take('g5', ['greedy'])).toBeUndefined();
  expect(take('m1', ['modest'])).toBeDefined();
  expect(take('m2', ['modest'])).toBeDefined();
  expect(left).toEqual(['g4', 'g3']);
  expect(take('m3', ['modest'])).toBeUndefined();
  expect(take('o1', ['other'])).toBeDefined();
  expect([share.sizeOf('greedy') + share.sizeOf('modest'), share.sizeOf('other'), share.size]).toEqual([3, 1, 4]);
});

it('a part is released once, and does not give way afterwards', () => {
  const share = new FairShare(2);
  const take = taker(share);
  const release = take('g1', ['greedy'])!;
  take('g2', ['greedy']);
  release();
  release();
  expect(share.size).toBe(1);
  take('m1', ['modest']);
  expect(take('m2', ['modest'])).toBeUndefined();
  expect(left).toEqual([]);
});

it('many users of one address give way to one of another, but not to more of their own', () => {
  const share = new FairShare(3);
  const take = taker(share);
  for (const user of ['u1', 'u2', 'u3']) take(user, [user, 'here']);
  expect(take('u4', ['u4', 'here'])).toBeUndefined();
  expect(take('m', ['m', 'there'])).toBeDefined();
  expect(left).toEqual(['u3']);
});

it('many users of one address give way to those who cost something, who have only names', () => {
  const share = new FairShare(4);
  const take = taker(share);
  for (const user of ['u1', 'u2', 'u3', 'u4']) take(user, [user, 'here']);
  for (const user of ['v1', 'v2']) expect(take(user, [user])).toBeDefined();
  expect(left).toEqual(['u4', 'u3']);
  // These two of one address have as many as it and another of those would.
  expect(take('v2', ['v2'])).toBeUndefined();
  for (const user of ['v3', 'v4', 'v5']) take(user, [user]);
  expect(left).toEqual(['u4', 'u3', 'u2']);
  expect(take('v4', ['v4'])).toBeUndefined();
  expect(take('u5', ['u5', 'here'])).toBeUndefined();
});

it('many users of one address take no more from another than it keeps', () => {
  const share = new FairShare(4);
  const take = taker(share);
  for (const name of ['g1', 'g2', 'g3', 'g4']) take(name, ['greedy']);
  const taken = ['u1', 'u2', 'u3', 'u4'].map((user) => take(user, [user, 'here']) !== undefined);
  expect([taken, left]).toEqual([
    [true, true, false, false],
    ['g4', 'g3'],
  ]);
});

it('sizes differ: as many parts give way as are needed, or none', () => {
  const share = new FairShare(100);
  const take = taker(share);
  for (const name of ['a', 'b', 'c']) take(name, ['greedy'], 30);
  take('m', ['modest'], 10);
  expect(take('x', ['other'], 80)).toBeUndefined();
  expect([left, share.size]).toEqual([[], 100]);
  expect(take('y', ['other'], 45)).toBeDefined();
  expect(left).toEqual(['c', 'b']);
  expect(share.size).toBe(85);
});
