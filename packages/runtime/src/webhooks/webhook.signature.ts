import { createHmac, hkdfSync, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;
/** Size of a secret in bytes, by the standard. */
const [MIN_BYTES, MAX_BYTES] = [24, 64];

/**
 * A secret that derives from a key, or from the one in its place when it was created.
 *
 * @param use what it is for: each has another
 */
export function derivedSecret(
  { key, webhook_key = key }: { readonly key: string; readonly webhook_key?: string },
  use: string,
): string {
  return (
    PREFIX + Buffer.from(hkdfSync('sha256', webhook_key, '', `avatar-chat ${use}`, SECRET_BYTES)).toString('base64')
  );
}

/** A random secret. */
export function newSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

/** Parses secrets, `whsec_…`, separated by spaces or commas; undefined if the text contains anything else. */
export function readSecrets(text: string): Buffer[] | undefined {
  const keys = text
    .split(/[\s,]+/)
    .filter(Boolean)
    .map((secret) =>
      secret.startsWith(PREFIX) ? Buffer.from(secret.slice(PREFIX.length), 'base64') : Buffer.alloc(0),
    );
  const isGood = keys.length > 0 && keys.every(({ length }) => length >= MIN_BYTES && length <= MAX_BYTES);
  return isGood ? keys : undefined;
}

/**
 * The headers of a signed request.
 *
 * @param now Unix time in milliseconds
 */
export function signedHeaders(id: string, now: number, body: string, keys: readonly Buffer[]) {
  const timestamp = Math.floor(now / 1000);
  return {
    'content-type': 'application/json',
    'user-agent': 'avatar-chat-service',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatureOf(id, timestamp, body, keys),
  };
}

/**
 * The value of `webhook-signature`: one signature for each key, so that receivers can rotate their secret without a
 * hurry.
 */
export function signatureOf(id: string, timestamp: number, body: string, keys: readonly Buffer[]): string {
  return keys
    .map((key) => `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`)
    .join(' ');
}
