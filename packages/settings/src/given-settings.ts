import type { Config } from './config.js';
import { ConfigError, configFrom } from './environment.js';
import { SETTING_NAMES } from './read-settings.js';
import { onOrOff, type Setting } from 'avatar-chat-runtime';
import { isSecretFileName } from './secret-files.js';
import { MIN_SECRET_BYTES, type SettingName, SETTINGS } from './settings.js';

/** Placeholder for a secret that is generated later. */
const NOT_STORED = '-'.repeat(MIN_SECRET_BYTES);

type Value = string | number | boolean | readonly string[] | undefined;

/**
 * Settings from a program instead of the environment: the names of .env.example, `NODE_ENV`, `_FILE` names of secrets, and the variables that the
 * catalogue names as keys of providers and webhooks.
 */
export type SettingsObject = { readonly [Name in SettingName | 'NODE_ENV' | `PROVIDER_${string}`]?: Value } & {
  readonly [name: string]: Value;
};

/**
 * As `loadConfig()`, from an object. The environment is not read, not even NODE_ENV: without it, production rules
 * apply, so that they cannot be skipped by accident.
 *
 * @throws ConfigError naming what is invalid or unknown
 */
export function configFromSettings(settings: SettingsObject): Config {
  const variables = variablesOf(settings);
  return read(variables, variables);
}

/**
 * Validates like {@link configFromSettings}, without side effects: only that function generates and stores a secret.
 *
 * @throws ConfigError
 */
export function assertUsableSettings(settings: SettingsObject): void {
  const variables = variablesOf(settings);
  const isProduction = (variables.NODE_ENV ?? 'production') === 'production';
  read(
    isProduction || variables.JWT_SECRET || variables.JWT_SECRET_FILE
      ? variables
      : { ...variables, JWT_SECRET: NOT_STORED },
  );
}

function read(variables: Record<string, string | undefined>, ofCatalogue?: typeof variables): Config {
  if (variables.NODE_ENV !== undefined) return configFrom(variables, [], ofCatalogue, true);
  try {
    return configFrom({ ...variables, NODE_ENV: 'production' }, [], ofCatalogue, true);
  } catch (error) {
    if (!(error instanceof ConfigError) || !error.faults.some(({ rule }) => rule.includes('production'))) throw error;
    throw new ConfigError([
      ...error.faults,
      { name: 'NODE_ENV', rule: 'is not among the settings: these are for production' },
    ]);
  }
}

function variablesOf(settings: SettingsObject): Record<string, string | undefined> {
  const variables: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(settings)) variables[name] = textOf(name, value);
  const listed = (variables.CATALOGUE_SECRETS ?? '').split(',').map((name) => name.trim());
  const unknown = Object.keys(settings).filter(
    (name) =>
      name !== 'NODE_ENV' &&
      !SETTING_NAMES.has(name) &&
      !name.startsWith('PROVIDER_') &&
      !listed.includes(name) &&
      !isSecretFileName(name, listed),
  );
  if (unknown.length > 0)
    throw new ConfigError(unknown.map((name) => ({ name, rule: 'is no setting of the service' })));
  return variables;
}

function textOf(name: string, value: Value): string | undefined {
  if (typeof value === 'boolean' && (SETTINGS as Record<string, Setting>)[name]?.kind === onOrOff)
    return value ? 'on' : 'off';
  return value === undefined || value === null ? undefined : String(value);
}
