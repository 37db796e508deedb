/**
 * Whether the catalogue may name a variable: not one of the service's own secrets, for what is named goes to others.
 */
export function isSecretName(name: unknown): name is string {
  return typeof name === 'string' && /^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(name) && !/^(JWT|MONGODB|ADMIN)_/.test(name);
}

/**
 * Whether the key of a provider, which is sent to a server that the catalogue names, may stand in a variable. A catalogue
 * does not choose among all variables of the process: most are the secrets of something else.
 *
 * @param listed the names that `CATALOGUE_SECRETS` adds
 */
export function isProviderKeyName(name: unknown, listed: readonly string[]): name is string {
  return isSecretName(name) && (name === 'OPENAI_API_KEY' || name.startsWith('PROVIDER_') || listed.includes(name));
}
