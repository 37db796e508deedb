import { createHmac, hkdfSync } from 'node:crypto';
import type { Project, Webhook } from '../catalogue/index.js';
import { readSecret } from '../platform/config/index.js';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;
/** Bytes of a secret, by the standard. */
const [MIN_BYTES, MAX_BYTES] = [24, 64];

/**
 * The secret of a webhook that names no variable with one: derived from the project's key, so that it is neither stored
 * nor exported, and follows the webhook's name.
 */
export function derivedSecret({ key }: Pick<Project, 'key'>, { name }: Pick<Webhook, 'name'>): string {
  const bytes = hkdfSync('sha256', key, '', `avatar-chat webhook ${name}`, SECRET_BYTES);
  return PREFIX + Buffer.from(bytes).toString('base64');
}

/** The keys that sign for a webhook; undefined where its variable is not set, or to what is no secret. */
export function keysOf(project: Pick<Project, 'key'>, webhook: Webhook): Buffer[] | undefined {
  const { secret_env } = webhook;
  return readSecrets(secret_env === undefined ? derivedSecret(project, webhook) : (readSecret(secret_env) ?? ''));
}

/** The keys in a text of secrets, `whsec_…`, separated by spaces or commas; undefined where it holds anything else. */
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

/** The value of `webhook-signature`: one signature for each key, so that a receiver may change its secret at leisure. */
export function signatureOf(id: string, timestamp: number, body: string, keys: readonly Buffer[]): string {
  return keys
    .map((key) => `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`)
    .join(' ');
}
