import { join, resolve } from 'node:path';
import { Config } from './config.js';
import { generatedSecret, loadEnvFile, ShortSecretError, unknownNames } from 'avatar-chat-runtime';
import { readSettings, SETTING_NAMES, type SettingFault } from './read-settings.js';
import { isSecretFileName, readSecretFiles } from './secret-files.js';
import { MIN_SECRET_BYTES, SETTINGS, type SettingValues } from './settings.js';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Invalid settings. The message names each and its rule, and never a value. It is for the operator: hosts print errors of
 * their start whole, so there is no stack, and `faults` is not enumerable.
 */
export class ConfigError extends Error {
  readonly faults!: readonly SettingFault[];

  constructor(faults: readonly SettingFault[]) {
    const lines = faults.map(({ name, rule }) => `${name} ${rule}`);
    super(`The configuration cannot be used:${lines.length === 1 ? ` ${lines[0]}` : `\n  ${lines.join('\n  ')}`}`);
    this.name = 'ConfigError';
    Object.defineProperty(this, 'faults', { value: faults });
    this.stack = `${this.name}: ${this.message}`;
  }
}

/**
 * Reads the environment (and a `.env` file in the working directory, which never overrides it).
 *
 * @throws ConfigError naming every invalid setting
 */
export function loadConfig(): Config {
  return configFrom(process.env, loadEnvFile('.env', process.env));
}

/**
 * As {@link loadConfig}, from the given variables. An empty value counts as unset.
 *
 * @param fileNames names in the `.env` file; unknown ones cause a warning
 * @param variables where variables that the catalogue names are read, instead of the environment
 * @param isMounted whether a host listens, whose address is used if there is no `PUBLIC_URL`
 */
export function configFrom(
  ownEnvironment: Environment,
  fileNames: readonly string[] = [],
  variables?: Environment,
  isMounted = false,
): Config {
  const files = readSecretFiles(ownEnvironment);
  const environment = { ...ownEnvironment, ...files.secrets };
  const production = environment.NODE_ENV === 'production';
  const { values: given, faults } = readSettings(environment, production);
  const databaseChosen = Boolean(environment.MONGODB_URI?.trim());
  const database = given.MONGODB_URI ?? { kind: 'embedded', path: join(given.DATA_DIR, 'database') };
  const warnings: string[] = [];
  if (production) {
    if (!databaseChosen) faults.push({ name: 'MONGODB_URI', rule: 'must be set in production' });
    else if (database.kind === 'embedded')
      warnings.push('MONGODB_URI names the embedded store, which is for evaluation, development and tests');
  }
  if (production && !isMounted && given.PUBLIC_URL === undefined)
    faults.push({ name: 'PUBLIC_URL', rule: 'must be set in production' });
  if (given.WORKERS > 1 && database.kind === 'embedded' && database.path === ':memory:')
    faults.push({ name: 'WORKERS', rule: 'must be 1 with embedded::memory:, which each process has for itself' });
  for (const name of ['JWT_SECRET', 'JWT_PREVIOUS_SECRETS'] as const) {
    if (![given[name] ?? []].flat().some(isWeak)) continue;
    const rule = `must have at least ${MIN_SECRET_BYTES} bytes and not be the sample value`;
    if (production) faults.push({ name, rule });
    else warnings.push(`${name} ${rule} in production`);
  }
  if (!given.JWT_SECRET && production) faults.push({ name: 'JWT_SECRET', rule: 'must be set in production' });
  if (given.ADMIN_KEYS.length > 0 && !given.ADMIN_KEY)
    faults.push({ name: 'ADMIN_KEYS', rule: 'needs ADMIN_KEY, which is not set' });
  if (given.ADMIN_KEYS.some(({ key }) => key === given.ADMIN_KEY))
    faults.push({ name: 'ADMIN_KEYS', rule: 'must not have the ADMIN_KEY' });
  if (given.OPENAI_BASE_URL !== SETTINGS.OPENAI_BASE_URL.default && !given.OPENAI_MODEL)
    warnings.push('OPENAI_BASE_URL is set but OPENAI_MODEL is not: scripts answer');
  if (given.LOCAL_MODEL && given.OPENAI_MODEL)
    faults.push({ name: 'LOCAL_MODEL', rule: 'must not be set beside OPENAI_MODEL' });
  const known = new Set([...SETTING_NAMES, ...given.CATALOGUE_SECRETS]);
  const unknown = unknownNames(
    fileNames.filter(
      (name) => !known.has(name) && !name.startsWith('OTEL_') && !isSecretFileName(name, given.CATALOGUE_SECRETS),
    ),
  );
  if (unknown) warnings.push(unknown);
  const unread = new Set(files.faults.map(({ name }) => name));
  const allFaults = [...files.faults, ...faults.filter(({ name }) => !unread.has(`${name}_FILE`))];
  if (allFaults.length > 0) throw new ConfigError(allFaults);
  return new Config(
    {
      production,
      host: given.HOST,
      port: given.PORT,
      workers: given.WORKERS,
      shutdownMs: given.SHUTDOWN_SECONDS * 1000,
      publicUrl: given.PUBLIC_URL,
      database,
      databaseChosen,
      jwtSecret: given.JWT_SECRET ?? signingSecret(given.DATA_DIR, warnings),
      jwtPreviousSecrets: given.JWT_PREVIOUS_SECRETS,
      jwtTtlSeconds: given.JWT_TTL_SECONDS,
      corsOrigins: given.CORS_ORIGINS,
      corsMethods: given.CORS_METHODS,
      corsHeaders: given.CORS_HEADERS,
      trustProxy: given.TRUST_PROXY,
      rateLimits: {
        enabled: given.RATE_LIMIT,
        jwt: given.RATE_LIMIT_JWT,
        turns: given.RATE_LIMIT_TURNS,
        openTurns: given.RATE_LIMIT_OPEN_TURNS,
        reads: given.RATE_LIMIT_READS,
        uploads: given.RATE_LIMIT_UPLOADS,
        video: given.VIDEO_SECONDS,
      },
      demo: given.DEMO,
      privateHosts: given.PRIVATE_HOSTS,
      catalogueSecrets: given.CATALOGUE_SECRETS,
      webhookTimeoutSeconds: given.WEBHOOK_TIMEOUT_SECONDS,
      webhookBacklog: given.WEBHOOK_BACKLOG,
      openAiModel: given.OPENAI_MODEL,
      openAiBaseUrl: given.OPENAI_BASE_URL,
      localModel: given.LOCAL_MODEL,
      localModelSlots: given.LOCAL_MODEL_SLOTS,
      localModelQueue: given.LOCAL_MODEL_QUEUE,
      liveSessions: given.LIVE_SESSIONS,
      eventStreams: given.EVENT_STREAMS,
      liveIdleSeconds: given.LIVE_IDLE_SECONDS,
      livePingSeconds: given.LIVE_PING_SECONDS,
      liveWebrtcAddress: given.LIVE_WEBRTC_ADDRESS,
      liveWebrtcPorts: given.LIVE_WEBRTC_PORTS,
      videoQueue: given.VIDEO_QUEUE,
      knowledgeMemoryMb: given.KNOWLEDGE_MEMORY_MB,
      adminKey: given.ADMIN_KEY,
      adminKeys: given.ADMIN_KEYS,
      logLevel: given.LOG_LEVEL,
      otlpEndpoint: given.OTEL_EXPORTER_OTLP_ENDPOINT,
      otelServiceName: given.OTEL_SERVICE_NAME,
      dataDir: given.DATA_DIR,
      modelsDir: modelsDirOf(given),
      speechModels: given.SPEECH_MODELS,
      catalogueFile: given.CATALOGUE_FILE && resolve(given.CATALOGUE_FILE),
      warnings,
    },
    Object.keys(files.secrets).length > 0 ? { ...(variables ?? ownEnvironment), ...files.secrets } : variables,
  );
}

/** Only where models are and come from, for commands that need no other settings. */
export function loadModelSettings(): { modelsDir: string; hub: string } {
  loadEnvFile('.env', process.env);
  const { values } = readSettings(process.env, false);
  return { modelsDir: modelsDirOf(values), hub: values.HF_ENDPOINT };
}

function modelsDirOf({ MODELS_DIR, DATA_DIR }: SettingValues): string {
  return MODELS_DIR ?? join(DATA_DIR, 'models');
}

function isWeak(secret: string): boolean {
  return Buffer.byteLength(secret) < MIN_SECRET_BYTES || secret === SETTINGS.JWT_SECRET.sample;
}

/** @throws ConfigError if none can be stored */
function signingSecret(dataDir: string, warnings: string[]): string {
  try {
    return generatedSecret(dataDir, MIN_SECRET_BYTES, warnings);
  } catch (error) {
    throw new ConfigError([
      error instanceof ShortSecretError
        ? { name: error.file, rule: `must hold at least ${MIN_SECRET_BYTES} bytes, or be removed` }
        : { name: 'DATA_DIR', rule: 'must be a directory that can be written to' },
    ]);
  }
}
