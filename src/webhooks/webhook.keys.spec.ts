import { readSecrets } from 'avatar-chat-runtime';
import { Config } from '../platform/config/index.js';
import { keysOf, ownSecret } from './webhook.keys.js';

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
