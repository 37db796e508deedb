import { names } from 'avatar-chat-runtime';

/**
 * Whether the catalogue may name a variable: not one of the service's own secrets, since named variables are sent to
 * others.
 */
export function isSecretName(name: unknown): name is string {
  return typeof name === 'string' && /^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(name) && !/^(JWT|MONGODB|ADMIN)_/.test(name);
}

/**
 * Whether a variable may hold the key of a provider, which is sent to a server that the catalogue names. A catalogue
 * must not choose freely among the variables of the process: most are unrelated secrets.
 *
 * @param listed the names that `CATALOGUE_SECRETS` adds
 */
export function isProviderKeyName(name: unknown, listed: readonly string[]): name is string {
  return isSecretName(name) && (name === 'OPENAI_API_KEY' || name.startsWith('PROVIDER_') || listed.includes(name));
}

export const secretNames = names(
  "a comma-separated list of names of environment variables, and of none of this service's own secrets",
  isSecretName,
);
