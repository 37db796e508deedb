import { Webhook } from 'standardwebhooks';
import { derivedSecret, keysOf, readSecrets, signatureOf } from './webhook.signature.js';

const secretOf = (bytes: number) => `whsec_${Buffer.alloc(bytes, 7).toString('base64')}`;

describe('a secret', () => {
  it('of its own is one of the standard, and differs with the name and the project', () => {
    const secrets = [
      derivedSecret({ key: 'a' }, { name: 'crm' }),
      derivedSecret({ key: 'a' }, { name: 'erp' }),
      derivedSecret({ key: 'b' }, { name: 'crm' }),
    ];
    expect(new Set(secrets).size).toBe(3);
    for (const secret of secrets) expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(derivedSecret({ key: 'a' }, { name: 'crm' })).toBe(secrets[0]);
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

  it('is that of the variable, where one is named', () => {
    const hook = { name: 'crm', url: 'https://example.org', secret_env: 'TEST_SIGNATURE_SECRET' };
    expect(keysOf({ key: 'a' }, hook)).toBeUndefined();
    process.env.TEST_SIGNATURE_SECRET = secretOf(32);
    expect(keysOf({ key: 'a' }, hook)).toEqual([Buffer.alloc(32, 7)]);
  });
});

it('a signature is that of the standard, one for each key', () => {
  const [one, other] = [secretOf(24), derivedSecret({ key: 'a' }, { name: 'crm' })];
  const keys = [one, other].map((secret) => readSecrets(secret)![0]!);
  const body = '{"text":"Grüße 🌒"}';
  const expected = [one, other].map((secret) => new Webhook(secret).sign('evt_1', new Date(1_700_000_000_000), body));
  expect(signatureOf('evt_1', 1_700_000_000, body, keys)).toBe(expected.join(' '));
});
