import { Owner } from './owner.js';
import { VerifiedTokens } from './verified-tokens.js';

const ann = new Owner('default', 'ann');

describe('verified tokens', () => {
  it('are known by their whole header until they expire', () => {
    const tokens = new VerifiedTokens();
    tokens.remember('Bearer a.b.c', { owner: ann, exp: 100 });
    expect(tokens.recall('Bearer a.b.c', 99)).toEqual({ owner: ann, exp: 100 });
    expect(tokens.recall('bearer a.b.c', 99)).toBeUndefined();
    expect(tokens.recall('Bearer a.b.d', 99)).toBeUndefined();
    expect(tokens.recall('Bearer a.b.c', 100)).toBeUndefined();
    expect(tokens.recall('Bearer a.b.c', 99)).toBeUndefined();
  });

  it('are evicted oldest first, so that memory is bounded', () => {
    const tokens = new VerifiedTokens();
    for (let n = 0; n <= 10_000; n++) tokens.remember(`Bearer ${n}`, { owner: ann, exp: 100 });
    expect([0, 1, 10_000].map((n) => tokens.recall(`Bearer ${n}`, 0))).toEqual([
      undefined,
      { owner: ann, exp: 100 },
      { owner: ann, exp: 100 },
    ]);
  });

  it('are not cached if the header is longer than any of ours', () => {
    const tokens = new VerifiedTokens();
    const [longest, tooLong] = [1024, 1025].map((length) => 'Bearer '.padEnd(length, 'a')) as [string, string];
    tokens.remember(longest, { owner: ann, exp: 100 });
    tokens.remember(tooLong, { owner: ann, exp: 100 });
    expect([longest, tooLong].map((header) => tokens.recall(header, 0))).toEqual([{ owner: ann, exp: 100 }, undefined]);
  });
});
