import { bearerToken, tokenHeader } from './token.format.js';

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const bytes = (...values: number[]) => Buffer.from(values).toString('base64url');
const HEAD = part({ alg: 'HS256', kid: 'k' });
const CLAIMS = part({ sub: 'ann' });
const padTo = (length: number) => `${HEAD}.${CLAIMS}.`.padEnd(length, 'A');

describe('a bearer token', () => {
  it.each([
    ['Bearer a.b.c', 'a.b.c'],
    ['bEARER a.b.c', 'a.b.c'],
    ['Bearer   a.b.c', 'a.b.c'],
    ['Bearer a.b.c  ', 'a.b.c'],
    ['Bearer a b', 'a b'],
    ['Bearer', undefined],
    ['Bearer ', undefined],
    ['Bearera.b.c', undefined],
    ['Basic Bearer a.b.c', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('of %j is %j', (authorization, token) => {
    expect(bearerToken(authorization)).toBe(token);
  });

  it('is found in time linear in the length of the header, not quadratic', () => {
    const gap = `a${' '.repeat(100_000)}b`;
    const before = process.cpuUsage();
    expect(bearerToken(`Bearer ${gap}`)).toBe(gap);
    expect(bearerToken(`Bearer${' '.repeat(100_000)}`)).toBeUndefined();
    const { user, system } = process.cpuUsage(before);
    expect(user + system).toBeLessThan(500_000);
  });
});

describe('the header of a token', () => {
  it('is its decoded first part', () => {
    expect(tokenHeader(`${HEAD}.${CLAIMS}.AA`)).toEqual({ alg: 'HS256', kid: 'k' });
    // Four characters encode three bytes, so any count of these groups is canonical.
    expect(tokenHeader(padTo(4096))).toEqual({ alg: 'HS256', kid: 'k' });
  });

  it.each([
    ['has 4,100 characters', padTo(4100)],
    ['has two parts', `${HEAD}.${CLAIMS}`],
    ['has four parts', `${HEAD}.${CLAIMS}.AA.AA`],
    ['has something before it', ` ${HEAD}.${CLAIMS}.AA`],
    ['has something behind it', `${HEAD}.${CLAIMS}.AA `],
    ['has an empty signature', `${HEAD}.${CLAIMS}.`],
    ['is padded', `${HEAD}.${CLAIMS}.AA=`],
    ['has a signature with bits to spare', `${HEAD}.${CLAIMS}.AB`],
    ['has claims with bits to spare', `${HEAD}.${part({ s: 1 }).replace(/.$/, '1')}.AA`],
    ['has a header of another algorithm', `${part({ alg: 'HS512' })}.${CLAIMS}.AA`],
    ['has a header of no algorithm', `${part({})}.${CLAIMS}.AA`],
    ['has a critical header', `${part({ alg: 'HS256', crit: [] })}.${CLAIMS}.AA`],
    ['has claims not encoded', `${part({ alg: 'HS256', b64: true })}.${CLAIMS}.AA`],
    ['has a header that is null', `${part(null)}.${CLAIMS}.AA`],
    ['has claims that are null', `${HEAD}.${part(null)}.AA`],
    ['has claims that are a list', `${HEAD}.${part([1])}.AA`],
    ['has claims that are a string', `${HEAD}.${part('x')}.AA`],
    ['has claims that are not JSON', `${HEAD}.${bytes(0x7b)}.AA`],
    ['has claims that are not UTF-8', `${HEAD}.${bytes(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d)}.AA`],
  ])('is undefined if the token %s', (_, token) => {
    expect(tokenHeader(token)).toBeUndefined();
  });
});
