import { Clock, Config } from '../platform/config/index.js';
import { PublicUrl } from '../platform/http/index.js';
import { FileUrls } from './file.urls.js';

const HOUR = 3_600_000;

function make({ secret = 'a'.repeat(32), previous = [] as string[], start = Date.UTC(2026, 10, 21, 6, 30) } = {}) {
  const config = new Config({
    jwtSecret: secret,
    jwtPreviousSecrets: previous,
    publicUrl: 'https://chat.example/base',
  });
  const clock = new (class extends Clock {
    time = start;
    now = () => this.time;
  })();
  return { clock, urls: new FileUrls(new PublicUrl(config, {} as never), clock, config) };
}
const queryOf = (url: string) => Object.fromEntries(new URL(url).searchParams);

describe('FileUrls', () => {
  it('signs an absolute URL', () => {
    const url = make().urls.sign('abc');
    expect(url).toMatch(/^https:\/\/chat\.example\/base\/files\/abc\?expires=\d{10}&signature=[\w-]{43}$/);
  });

  it('returns the same URL within an hour, and another one after it', () => {
    const { clock, urls } = make();
    const first = urls.sign('abc');
    clock.time += 0.4 * HOUR;
    expect(urls.sign('abc')).toBe(first);
    clock.time += 0.2 * HOUR;
    expect(urls.sign('abc')).not.toBe(first);
  });

  it.each([0, 30, 59.99])('is valid for 24 hours from minute %d of an hour on, and for less than 25', (minute) => {
    const { clock, urls } = make({ start: Date.UTC(2026, 10, 21, 6) + minute * 60_000 });
    const query = queryOf(urls.sign('abc'));
    expect(urls.verify('abc', query)).toBe(true);
    clock.time += 24 * HOUR - 1;
    expect(urls.verify('abc', query)).toBe(true);
    clock.time += HOUR + 1;
    expect(urls.verify('abc', query)).toBe(false);
  });

  it('is valid for one file, one time and one service', () => {
    const { urls } = make();
    const query = queryOf(urls.sign('abc'));
    expect(urls.verify('abd', query)).toBe(false);
    expect(urls.verify('abc', { ...query, expires: String(Number(query.expires) + 1) })).toBe(false);
    expect(make({ secret: 'b'.repeat(32) }).urls.verify('abc', query)).toBe(false);
  });

  it('survives a change of the secret', () => {
    const query = queryOf(make().urls.sign('abc'));
    const { urls } = make({ secret: 'b'.repeat(32), previous: ['c'.repeat(32), 'a'.repeat(32)] });
    expect(urls.verify('abc', query)).toBe(true);
  });

  it.each<[string, (query: Record<string, string>) => Record<string, unknown>]>([
    ['no query', () => ({})],
    ['no signature', ({ expires }) => ({ expires })],
    ['no time', ({ signature }) => ({ signature })],
    ['two signatures', (query) => ({ ...query, signature: [query.signature, query.signature] })],
    ['a truncated signature', (query) => ({ ...query, signature: query.signature!.slice(0, 42) })],
    ['a signature with padding', (query) => ({ ...query, signature: `${query.signature}=` })],
    ['a time with a leading zero', (query) => ({ ...query, expires: `0${query.expires}` })],
    ['a time in words', (query) => ({ ...query, expires: 'Infinity' })],
    ['an object', (query) => ({ expires: { toString: () => query.expires }, signature: query.signature })],
  ])('refuses %s', (_name, change) => {
    const { urls } = make();
    expect(urls.verify('abc', change(queryOf(urls.sign('abc'))))).toBe(false);
  });
});
