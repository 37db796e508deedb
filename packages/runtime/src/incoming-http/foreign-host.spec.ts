import { foreignHostRule } from './foreign-host.js';

const development = { production: false, host: '127.0.0.1', publicUrl: undefined, trustProxy: false } as const;

describe('the Host header at a loopback address', () => {
  it.each([
    '127.0.0.1:3000',
    'localhost:3000',
    'LOCALHOST',
    'localhost.',
    'chat.localhost:3000',
    '[::1]:3000',
    '192.168.0.2',
    'host.docker.internal:3000',
    'laptop.local',
    'laptop',
    'laptop:3000',
    '',
  ])('may be %s', (header) => expect(foreignHostRule(development)!(header)).toBe(false));

  it.each([
    'rebound.example.org',
    'rebound.example.org:3000',
    'REBOUND.example.org.',
    'localhost.example.org',
    '127.0.0.1.nip.io',
    'mylocal.org',
    'example.org:localhost',
  ])('may not be %s', (header) => expect(foreignHostRule(development)!(header)).toBe(true));

  it('may be that of PUBLIC_URL', () => {
    const isForeign = foreignHostRule({ ...development, publicUrl: 'https://chat.example.org/talk' })!;
    expect(isForeign('chat.example.org')).toBe(false);
    expect(isForeign('chat.example.org.evil.example')).toBe(true);
  });

  it.each([
    { production: true },
    { host: '0.0.0.0' },
    { host: '::' },
    { host: '192.168.0.2' },
    { trustProxy: 1 },
    { trustProxy: 'loopback' },
  ])('is not checked with %j', (change) => expect(foreignHostRule({ ...development, ...change })).toBeUndefined());

  it.each(['localhost', '::1', '127.0.0.2'])('is checked at %s', (host) =>
    expect(foreignHostRule({ ...development, host })).toBeDefined(),
  );
});
