import type { Project, Webhook } from 'avatar-chat-catalogue';
import { derivedSecret, readSecrets } from 'avatar-chat-runtime';
import type { Config } from '../platform/config/index.js';

/** The fields of a project from which webhook secrets derive. */
type Secrets = Pick<Project, 'key' | 'webhook_key' | 'webhook_secrets'>;

/**
 * The secret of a webhook without a variable: the one that was generated last or, so that it need not be stored, one
 * derived from the project's key and the webhook's name.
 */
export function ownSecret(project: Secrets, { name }: Pick<Webhook, 'name'>): string {
  return project.webhook_secrets?.[name]?.secret ?? derivedSecret(project, `webhook ${name}`);
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
