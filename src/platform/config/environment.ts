import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Config, LOG_LEVELS, type DatabaseLocation, type LogLevel } from './config.js';
import { loadEnvFile, unknownNames } from './env-file.js';
import { keptSecret, ShortSecretError } from './kept-secret.js';
import {
  adminKey,
  databaseLocation,
  HOP_LIMIT,
  hosts,
  logLevel,
  MIN_SECRET_BYTES,
  onOrOff,
  origins,
  publicUrl,
  secretNames,
  trustProxy,
} from './setting-values.js';

/** The value of `JWT_SECRET` in `.env.example`: known to everyone, so refused in production. */
export const SAMPLE_SECRET = 'change-me-this-sample-secret-is-public-0123456789';

const DEFAULT_CATALOGUE = fileURLToPath(new URL('../../../catalogue/default.json', import.meta.url));
const YEAR_IN_SECONDS = 31_536_000;
const MAX_WORKERS = 64;

type Environment = Readonly<Record<string, string | undefined>>;

/** Settings that cannot be used. The message names each with what it must be, and never a value. */
export class ConfigError extends Error {
  constructor(readonly faults: readonly { name: string; rule: string }[]) {
    super(['The configuration cannot be used:', ...faults.map(({ name, rule }) => `  ${name} ${rule}`)].join('\n'));
    this.name = 'ConfigError';
  }
}

/**
 * Reads the environment (and a `.env` file in the working directory, which never overrides it).
 *
 * @throws ConfigError naming every setting that is bad.
 */
export function loadConfig(): Config {
  return configFrom(process.env, loadEnvFile('.env', process.env));
}

/**
 * As {@link loadConfig}, from the given variables. An empty value counts as unset.
 *
 * @param fileNames those that a `.env` file has; what is no setting among them is a warning
 */
export function configFrom(environment: Environment, fileNames: readonly string[] = []): Config {
  const read = new Reader(environment);
  const production = environment.NODE_ENV === 'production';
  const dataDir = read.text('DATA_DIR', './data');
  const values = {
    production,
    dataDir,
    host: read.text('HOST', '127.0.0.1'),
    port: read.integer('PORT', 3000, 0, 65_535),
    workers: read.integer('WORKERS', 1, 1, MAX_WORKERS),
    publicUrl: read.parsed(
      'PUBLIC_URL',
      'must be an http or https URL without query or fragment',
      undefined,
      publicUrl,
    ),
    database: read.parsed<DatabaseLocation>(
      'MONGODB_URI',
      'must be mongodb://…, mongodb+srv://…, embedded:PATH or embedded::memory:',
      { kind: 'embedded', path: join(dataDir, 'database') },
      databaseLocation,
    ),
    databaseChosen: read.has('MONGODB_URI'),
    jwtPreviousSecrets: read.list('JWT_PREVIOUS_SECRETS'),
    jwtTtlSeconds: read.integer('JWT_TTL_SECONDS', 86_400, 1, YEAR_IN_SECONDS),
    corsOrigins: read.parsed(
      'CORS_ORIGINS',
      'must be * or a comma-separated list of origins such as https://example.org',
      [],
      origins,
    ),
    trustProxy: read.parsed<string | number | boolean>(
      'TRUST_PROXY',
      `must be true, false, a number of hops (1–${HOP_LIMIT}), or a comma-separated list of addresses, ranges, loopback, linklocal, uniquelocal`,
      false,
      trustProxy,
    ),
    rateLimits: {
      enabled: read.parsed('RATE_LIMIT', 'must be on or off', production, onOrOff),
      jwt: read.integer('RATE_LIMIT_JWT', 300, 1, 1_000_000),
      turns: read.integer('RATE_LIMIT_TURNS', 60, 1, 1_000_000),
      openTurns: read.integer('RATE_LIMIT_OPEN_TURNS', 1200, 1, 1_000_000),
      reads: read.integer('RATE_LIMIT_READS', 600, 1, 1_000_000),
      uploads: read.integer('RATE_LIMIT_UPLOADS', 256, 10, 1_000_000),
    },
    demo: read.parsed('DEMO', 'must be on or off', !production, onOrOff),
    privateHosts: read.parsed<readonly string[]>(
      // The latter is its former name.
      read.has('PRIVATE_HOSTS') ? 'PRIVATE_HOSTS' : 'WEBHOOK_PRIVATE_HOSTS',
      'must be * or a comma-separated list of host names and addresses, without ports',
      production ? [] : ['*'],
      hosts,
    ),
    catalogueSecrets: read.parsed<readonly string[]>(
      'CATALOGUE_SECRETS',
      "must be a comma-separated list of names of environment variables, and of none of this service's own secrets",
      [],
      secretNames,
    ),
    webhookTimeoutSeconds: read.integer('WEBHOOK_TIMEOUT_SECONDS', 15, 1, 30),
    adminKey: read.parsed<string | undefined>(
      'ADMIN_KEY',
      `must be ${MIN_SECRET_BYTES} to 512 visible ASCII characters`,
      undefined,
      adminKey,
    ),
    logLevel: read.parsed<LogLevel>('LOG_LEVEL', `must be one of ${LOG_LEVELS.join(', ')}`, 'info', logLevel),
    catalogueFile: resolve(read.text('CATALOGUE_FILE', DEFAULT_CATALOGUE)),
  };
  const warnings: string[] = [];
  if (production) {
    if (!values.databaseChosen) read.fault('MONGODB_URI', 'must be set in production');
    if (values.database.kind === 'embedded' && values.databaseChosen) {
      warnings.push('MONGODB_URI names the embedded store, which is for trying out, development and tests');
    }
  }
  if (values.workers > 1 && values.database.kind === 'embedded' && values.database.path === ':memory:')
    read.fault('WORKERS', 'must be 1 with embedded::memory:, which each process has for itself');
  const jwtSecret = read.text('JWT_SECRET', '');
  for (const [name, secrets] of [
    ['JWT_SECRET', jwtSecret ? [jwtSecret] : []],
    ['JWT_PREVIOUS_SECRETS', values.jwtPreviousSecrets],
  ] as const) {
    if (!secrets.some(isWeak)) continue;
    const rule = `must have at least ${MIN_SECRET_BYTES} bytes and not be the sample value`;
    if (production) read.fault(name, rule);
    else warnings.push(`${name} ${rule} in production`);
  }
  if (!jwtSecret && production) read.fault('JWT_SECRET', 'must be set in production');
  const unknown = unknownNames(fileNames, new Set([...read.names, ...values.catalogueSecrets]));
  if (unknown) warnings.push(unknown);
  if (read.faults.length > 0) throw new ConfigError(read.faults);
  try {
    const secret = jwtSecret || keptSecret(dataDir, MIN_SECRET_BYTES, warnings);
    return new Config({ ...values, warnings, jwtSecret: secret });
  } catch (error) {
    if (error instanceof ShortSecretError)
      throw new ConfigError([
        { name: error.file, rule: `must hold at least ${MIN_SECRET_BYTES} bytes, or be removed` },
      ]);
    throw new ConfigError([{ name: 'DATA_DIR', rule: 'must be a directory that can be written to' }]);
  }
}

function isWeak(secret: string): boolean {
  return Buffer.byteLength(secret) < MIN_SECRET_BYTES || secret === SAMPLE_SECRET;
}

/** Reads variables one by one and gathers what is wrong, so that one start reports everything. */
class Reader {
  readonly faults: { name: string; rule: string }[] = [];
  /** Every name that was asked for. */
  readonly names = new Set<string>();

  constructor(private readonly environment: Environment) {}

  has(name: string): boolean {
    this.names.add(name);
    return Boolean(this.environment[name]?.trim());
  }

  text(name: string, fallback: string): string {
    return this.has(name) ? this.environment[name]!.trim() : fallback;
  }

  list(name: string): string[] {
    return this.text(name, '')
      .split(',')
      .map((item) => item.trim())
      .filter(Boolean);
  }

  integer(name: string, fallback: number, min: number, max: number): number {
    return this.parsed(name, `must be a whole number from ${min} to ${max}`, fallback, (text) => {
      const value = /^\d{1,10}$/.test(text) ? Number(text) : NaN;
      return value >= min && value <= max ? value : undefined;
    });
  }

  /** The parsed value; a parser answers undefined to what it cannot use. */
  parsed<T>(name: string, rule: string, fallback: T, parse: (text: string) => T | undefined): T {
    if (!this.has(name)) return fallback;
    const value = parse(this.text(name, ''));
    if (value === undefined) this.fault(name, rule);
    return value ?? fallback;
  }

  fault(name: string, rule: string): void {
    this.faults.push({ name, rule });
  }
}
