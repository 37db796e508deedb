import { Webhook } from 'standardwebhooks';
import { derivedSecret, readSecrets, signatureOf } from './webhook.signature.js';

const secretOf = (bytes: number) => `whsec_${Buffer.alloc(bytes, 7).toString('base64')}`;

describe('a secret', () => {
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
});

it('a signature follows the standard, one for each key', () => {
  const [one, other] = [secretOf(24), derivedSecret({ key: 'a' }, 'webhook crm')];
  const keys = [one, other].map((secret) => readSecrets(secret)![0]!);
  const body = '{"text":"Grüße 🌒"}';
  const expected = [one, other].map((secret) => new Webhook(secret).sign('evt_1', new Date(1_700_000_000_000), body));
  expect(signatureOf('evt_1', 1_700_000_000, body, keys)).toBe(expected.join(' '));
});
