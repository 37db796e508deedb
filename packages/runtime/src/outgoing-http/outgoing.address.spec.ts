import { isPublic, lookupPublic, refusalOf } from './outgoing.address.js';

const strict = { privateHosts: ['crm.internal', '10.1.2.3', '::1'] };

describe('an address', () => {
  it.each(['1.1.1.1', '172.15.255.255', '172.32.0.1', '223.255.255.255', '2606:4700::1111', '2a00:1450::1'])(
    'on the public internet is recognized: %s',
    (address) => expect(isPublic(address)).toBe(true),
  );

  it.each([
    '0.0.0.0',
    '10.0.0.1',
    '100.64.0.1',
    '100.100.100.200',
    '127.0.0.1',
    '168.63.129.16',
    '169.254.169.254',
    '169.254.170.2',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '::ffff:a9fe:a9fe',
    '::ffff:0:169.254.169.254',
    '::169.254.169.254',
    '64:ff9b::169.254.169.254',
    '64:ff9b:1::1',
    '2001:0:a9fe:a9fe::',
    '2002:a9fe:a9fe::1',
    '5f00::1',
    'fd00:ec2::254',
    'fd20:ce::254',
    'fec0::1',
    'fe80::a9fe:a9fe%eth0',
    '2001:4860:4860::8888%eth0',
    'localhost',
    '',
    '64:ff9b::a00:1',
    '2001:db8::1',
    '2002:7f00:1::',
    'fc00::1',
    'fd12:3456::1',
    'fe80::1',
    'ff02::1',
  ])('on no public network is recognized: %s', (address) => expect(isPublic(address)).toBe(false));
});

describe('a URL in production', () => {
  it.each([
    ['https://example.org/hook', undefined],
    ['https://1.1.1.1/hook', undefined],
    ['http://example.org/hook', 'HTTPS_REQUIRED'],
    ['https://127.0.0.1/hook', 'PRIVATE_ADDRESS'],
    ['https://[fd00::1]/hook', 'PRIVATE_ADDRESS'],
    ['https://2130706433/hook', 'PRIVATE_ADDRESS'],
    ['https://0x7f.1/hook', 'PRIVATE_ADDRESS'],
    ['https://0xa9fea9fe/latest', 'PRIVATE_ADDRESS'],
    ['https://0251.0376.0251.0376/latest', 'PRIVATE_ADDRESS'],
    ['https://168.63.129.16/metadata', 'PRIVATE_ADDRESS'],
    ['https://１６９.254.169.254/latest', 'PRIVATE_ADDRESS'],
    ['https://[::ffff:169.254.169.254]/latest', 'PRIVATE_ADDRESS'],
    ['https://[fd00:ec2::254]/latest', 'PRIVATE_ADDRESS'],
    ['http://crm.internal:8080/hook', undefined],
    ['http://CRM.internal/hook', undefined],
    ['http://10.1.2.3/hook', undefined],
    ['http://[::1]/hook', undefined],
    ['http://sub.crm.internal/hook', 'HTTPS_REQUIRED'],
  ])('%s: %s', (url, refusal) => expect(refusalOf(new URL(url), strict)).toBe(refusal));
});

describe('DNS lookup', () => {
  const lookup = (name: string, all: boolean) =>
    new Promise((resolve) => {
      lookupPublic(name, { all }, (error, address) => resolve(error ? error.code : address));
    });

  it.each([true, false])('returns no non-public address (all: %s)', async (all) => {
    expect(await lookup('localhost', all)).toBe('PRIVATE_ADDRESS');
  });
});
