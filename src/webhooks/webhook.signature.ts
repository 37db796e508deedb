import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import type { Config } from '../platform/config/index.js';
import type { Project, Webhook } from 'avatar-chat-catalogue';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;
/** Size of a secret in bytes, by the standard. */
const [MIN_BYTES, MAX_BYTES] = [24, 64];

/** The fields of a project from which webhook secrets derive. */
type Secrets = Pick<Project, 'key' | 'webhook_key' | 'webhook_secrets'>;

/**
 * The secret of a webhook without a variable: the one that was generated last or, so that it need not be stored, one
 * derived from the project's key and the webhook's name.
 */
export function ownSecret(project: Secrets, { name }: Pick<Webhook, 'name'>): string {
  return project.webhook_secrets?.[name]?.secret ?? derivedSecret(project, `webhook ${name}`);
}

/** A secret that derives from a project's key at its creation. @param use what it is for: each has another */
export function derivedSecret({ key, webhook_key = key }: Pick<Secrets, 'key' | 'webhook_key'>, use: string): string {
  return (
    PREFIX + Buffer.from(hkdfSync('sha256', webhook_key, '', `avatar-chat ${use}`, SECRET_BYTES)).toString('base64')
  );
}

/** A random secret. */
export function newSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

/**
 * The keys that sign for a webhook; undefined if its variable is unset, or is not a valid secret.
 *
 * @param now Unix time in milliseconds
 */
export function keysOf(
  project: Secrets,
  webhook: Webhook,
  now: number,
  config: Pick<Config, 'secret'>,
): Buffer[] | undefined {
  const { name, secret_env } = webhook;
  if (secret_env !== undefined) return readSecrets(config.secret(secret_env) ?? '');
  const previous = project.webhook_secrets?.[name]?.previous;
  const former = previous && previous.until > now ? ` ${previous.secret}` : '';
  return readSecrets(ownSecret(project, webhook) + former);
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
 * The value of `webhook-signature`: one signature for each key, so that receivers can rotate their secret without a
 * hurry.
 */
export function signatureOf(id: string, timestamp: number, body: string, keys: readonly Buffer[]): string {
  return keys
    .map((key) => `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`)
    .join(' ');
}
