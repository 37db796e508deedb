import { Config } from '../platform/config/index.js';
import { Webhook } from 'standardwebhooks';
import { ownSecret, keysOf, readSecrets, signatureOf } from './webhook.signature.js';

const secretOf = (bytes: number) => `whsec_${Buffer.alloc(bytes, 7).toString('base64')}`;

describe('a secret', () => {
  it('is a generated one in standard format, which depends on the name and the project', () => {
    const secrets = [
      ownSecret({ key: 'a' }, { name: 'crm' }),
      ownSecret({ key: 'a' }, { name: 'erp' }),
      ownSecret({ key: 'b' }, { name: 'crm' }),
    ];
    expect(new Set(secrets).size).toBe(3);
    for (const secret of secrets) expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(ownSecret({ key: 'a' }, { name: 'crm' })).toBe(secrets[0]);
  });

  it.each([
    [secretOf(24), 1],
    [secretOf(64), 1],
    [`${secretOf(24)} ${secretOf(32)},${secretOf(33)}\n`, 3],
    ['', undefined],
    ['secret', undefined],
    [secretOf(23), undefined],
    [secretOf(65), undefined],
    [`${secretOf(24)} x`, undefined],
  ])('is read from a variable: %s', (text, count) => expect(readSecrets(text)?.length).toBe(count));

  it('is that of the variable, if one is named', () => {
    const hook = { name: 'crm', url: 'https://example.org', secret_env: 'TEST_SIGNATURE_SECRET' };
    expect(keysOf({ key: 'a' }, hook, 0, new Config())).toBeUndefined();
    process.env.TEST_SIGNATURE_SECRET = secretOf(32);
    expect(keysOf({ key: 'a' }, hook, 0, new Config())).toEqual([Buffer.alloc(32, 7)]);
  });
});

it('a webhook with a new secret is also signed with the former one, for a time', () => {
  const hook = { name: 'crm', url: 'https://example.org' };
  const former = ownSecret({ key: 'a' }, hook);
  const secret = secretOf(32);
  const rotated = {
    key: 'b',
    webhook_key: 'a',
    webhook_secrets: { crm: { secret, previous: { secret: former, until: 9 } } },
  };
  expect(ownSecret(rotated, hook)).toBe(secret);
  expect(ownSecret(rotated, { name: 'erp' })).toBe(ownSecret({ key: 'a' }, { name: 'erp' }));
  expect(keysOf(rotated, hook, 8, new Config())).toEqual(readSecrets(`${secret} ${former}`));
  expect(keysOf(rotated, hook, 9, new Config())).toEqual(readSecrets(secret));
});

it('a signature follows the standard, one for each key', () => {
  const [one, other] = [secretOf(24), ownSecret({ key: 'a' }, { name: 'crm' })];
  const keys = [one, other].map((secret) => readSecrets(secret)![0]!);
  const body = '{"text":"Grüße 🌒"}';
  const expected = [one, other].map((secret) => new Webhook(secret).sign('evt_1', new Date(1_700_000_000_000), body));
  expect(signatureOf('evt_1', 1_700_000_000, body, keys)).toBe(expected.join(' '));
});
