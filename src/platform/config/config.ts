import type { DatabaseLocation, LogLevel } from './setting-kinds.js';
import { DEFAULTS } from './read-settings.js';

/** Limits by what they count. */
export interface RateLimits {
  enabled: boolean;
  /** `POST /jwt`, a minute and client address. */
  jwt: number;
  /** Turns, a minute and user. */
  turns: number;
  /** Turns in open projects, a minute and client address. */
  openTurns: number;
  /** Reads, a minute and user. */
  reads: number;
  /** Recordings in MiB, an hour and user. */
  uploads: number;
  /** Rendered video in seconds, an hour and user. */
  video: number;
}

/** Fields of {@link Config}. What is left out has the default of its setting, outside production. */
export type ConfigValues = Partial<Omit<Config, 'rateLimits' | 'secret' | 'with'>> & {
  rateLimits?: Partial<RateLimits>;
};

type Variables = Readonly<Record<string, string | undefined>>;
/** Of settings that came from an object: not fields, so that nothing prints them. */
const variablesOf = new WeakMap<object, Variables>();

/**
 * Everything that an operator can set, read once from the environment, checked and frozen.
 * Also the injection token: `constructor(private readonly config: Config) {}`.
 */
export class Config {
  readonly production: boolean = false;
  readonly host: string = DEFAULTS.HOST;
  /** 0 lets the system choose. */
  readonly port: number = DEFAULTS.PORT;
  /** How many processes serve the port. */
  readonly workers: number = DEFAULTS.WORKERS;
  /** Base of every absolute URL in an answer, without a trailing slash; unset: the address listened on. */
  readonly publicUrl?: string;
  readonly database: DatabaseLocation = { kind: 'embedded', path: 'data/database' };
  /** Whether `MONGODB_URI` was given; if not, the start line says what is used instead. */
  readonly databaseChosen: boolean = false;
  readonly jwtSecret: string = '';
  /** Secrets that no longer sign but still verify. */
  readonly jwtPreviousSecrets: readonly string[] = DEFAULTS.JWT_PREVIOUS_SECRETS;
  readonly jwtTtlSeconds: number = DEFAULTS.JWT_TTL_SECONDS;
  /** Origins that browsers may call from; `*` is any; empty: none. */
  readonly corsOrigins: readonly string[] = DEFAULTS.CORS_ORIGINS;
  /** Methods that pages of these origins may use besides those of routes, */
  readonly corsMethods: readonly string[] = DEFAULTS.CORS_METHODS;
  /** and headers that they may set besides the service's. */
  readonly corsHeaders: readonly string[] = DEFAULTS.CORS_HEADERS;
  /** Proxies whose `X-Forwarded-*` headers are believed: addresses, ranges, or a number of hops. */
  readonly trustProxy: string | number | boolean = DEFAULTS.TRUST_PROXY;
  readonly rateLimits: RateLimits;
  /** Whether the page to try it is served at `/`. */
  readonly demo: boolean = DEFAULTS.DEMO;
  /** Hosts that may be called by plain http, or at addresses that are not public; `*` is any. */
  readonly privateHosts: readonly string[] = DEFAULTS.PRIVATE_HOSTS;
  /** Variables whose values the catalogue may have sent to providers, besides those that every catalogue may name. */
  readonly catalogueSecrets: readonly string[] = DEFAULTS.CATALOGUE_SECRETS;
  /** How long a receiver of webhooks may take for its answer. */
  readonly webhookTimeoutSeconds: number = DEFAULTS.WEBHOOK_TIMEOUT_SECONDS;
  /** The model that answers for scripted avatars; unset: their scripts do. */
  readonly openAiModel?: string;
  /** Its server. */
  readonly openAiBaseUrl: string = DEFAULTS.OPENAI_BASE_URL;
  /** Live sessions at a time. */
  readonly liveSessions: number = DEFAULTS.LIVE_SESSIONS;
  /** After how long a live session ends from whose client nothing came. */
  readonly liveIdleSeconds: number = DEFAULTS.LIVE_IDLE_SECONDS;
  /** How long a client may leave pings unanswered. */
  readonly livePingSeconds: number = DEFAULTS.LIVE_PING_SECONDS;
  /** Videos that may wait while one is rendered. */
  readonly videoQueue: number = DEFAULTS.VIDEO_QUEUE;
  /** Opens the operators' routes; without one there are none. */
  readonly adminKey?: string;
  readonly logLevel: LogLevel = DEFAULTS.LOG_LEVEL;
  readonly dataDir: string = DEFAULTS.DATA_DIR;
  /** Where models for speech are. */
  readonly modelsDir: string = 'data/models';
  /** Whether the model for English may be fetched by itself. */
  readonly speechModels: 'auto' | 'off' = DEFAULTS.SPEECH_MODELS;
  /** The catalogue that fills an empty database. */
  readonly catalogueFile: string = '';
  /** What is allowed but should not stay so, for the log of the start. Holds no values. */
  readonly warnings: readonly string[] = [];

  /** @param variables in place of the environment, where the catalogue names one */
  constructor({ rateLimits, ...values }: ConfigValues = {}, variables?: Variables) {
    this.rateLimits = {
      enabled: DEFAULTS.RATE_LIMIT,
      jwt: DEFAULTS.RATE_LIMIT_JWT,
      turns: DEFAULTS.RATE_LIMIT_TURNS,
      openTurns: DEFAULTS.RATE_LIMIT_OPEN_TURNS,
      reads: DEFAULTS.RATE_LIMIT_READS,
      uploads: DEFAULTS.RATE_LIMIT_UPLOADS,
      video: DEFAULTS.VIDEO_SECONDS,
      ...rateLimits,
    };
    Object.assign(this, values);
    Object.freeze(this);
    if (variables) variablesOf.set(this, variables);
  }

  /** The same but for some values. */
  with(values: ConfigValues): Config {
    return new Config({ ...this, ...values }, variablesOf.get(this));
  }

  /** The value of a variable that the catalogue names, such as an engine's `api_key_env`. */
  secret(name: string): string | undefined {
    return (variablesOf.get(this) ?? process.env)[name] || undefined;
  }
}
