import type { DatabaseLocation, LogLevel } from 'avatar-chat-runtime';
import type { AdminKey } from './admin-keys.js';
import { DEFAULTS } from './read-settings.js';

/** Limits by unit. */
export interface RateLimits {
  enabled: boolean;
  /** `POST /jwt`, per minute and client address. */
  jwt: number;
  /** Turns, per minute and user. */
  turns: number;
  /** Turns in open projects, per minute and client address. */
  openTurns: number;
  /** Reads, per minute and user. */
  reads: number;
  /** Recordings in MiB, per hour and user. */
  uploads: number;
  /** Rendered video in seconds, per hour and user. */
  video: number;
}

/** Fields of {@link Config}. Omitted ones have their development default. */
export type ConfigValues = Partial<Omit<Config, 'rateLimits' | 'secret' | 'with'>> & {
  rateLimits?: Partial<RateLimits>;
};

type Variables = Readonly<Record<string, string | undefined>>;
/** Values of settings passed as an object: not fields, so that nothing prints them. */
const variablesOf = new WeakMap<object, Variables>();

/**
 * All settings, read once from the environment, validated and frozen. Also the injection token: `constructor(private
 * readonly config: Config) {}`.
 */
export class Config {
  readonly production: boolean = false;
  readonly host: string = DEFAULTS.HOST;
  /** 0 lets the system choose. */
  readonly port: number = DEFAULTS.PORT;
  /** Number of processes that serve the port. */
  readonly workers: number = DEFAULTS.WORKERS;
  /** How long a process may take to finish what is in progress, in milliseconds. */
  readonly shutdownMs: number = DEFAULTS.SHUTDOWN_SECONDS * 1000;
  /** Base of every absolute URL in a response, without a trailing slash; unset: the address listened on. */
  readonly publicUrl?: string;
  readonly database: DatabaseLocation = { kind: 'embedded', path: 'data/database' };
  /** Whether `MONGODB_URI` was given; if not, the startup log says what is used instead. */
  readonly databaseChosen: boolean = false;
  readonly jwtSecret: string = '';
  /** Secrets that no longer sign but still verify. */
  readonly jwtPreviousSecrets: readonly string[] = DEFAULTS.JWT_PREVIOUS_SECRETS;
  readonly jwtTtlSeconds: number = DEFAULTS.JWT_TTL_SECONDS;
  /** Origins that browsers may call from; `*`: any; empty: none. */
  readonly corsOrigins: readonly string[] = DEFAULTS.CORS_ORIGINS;
  /** Methods that pages of these origins may use besides those of routes, */
  readonly corsMethods: readonly string[] = DEFAULTS.CORS_METHODS;
  /** and headers that they may set besides the service's. */
  readonly corsHeaders: readonly string[] = DEFAULTS.CORS_HEADERS;
  /** Proxies whose `X-Forwarded-*` headers are trusted: addresses, ranges, or a number of hops. */
  readonly trustProxy: string | number | boolean = DEFAULTS.TRUST_PROXY;
  readonly rateLimits: RateLimits;
  /** Whether the demo page is served at `/`. */
  readonly demo: boolean = DEFAULTS.DEMO;
  /** Hosts that may be called by plain http, or at non-public addresses; `*`: any. */
  readonly privateHosts: readonly string[] = DEFAULTS.PRIVATE_HOSTS;
  /** Variables that the catalogue may name as keys of providers, besides those that are always allowed. */
  readonly catalogueSecrets: readonly string[] = DEFAULTS.CATALOGUE_SECRETS;
  /** Response timeout of webhook receivers. */
  readonly webhookTimeoutSeconds: number = DEFAULTS.WEBHOOK_TIMEOUT_SECONDS;
  /** How many events may wait for one webhook. */
  readonly webhookBacklog: number = DEFAULTS.WEBHOOK_BACKLOG;
  /** The model that answers for scripted avatars; unset: their scripts do. */
  readonly openAiModel?: string;
  /** Its server. */
  readonly openAiBaseUrl: string = DEFAULTS.OPENAI_BASE_URL;
  /** The model inside the service that answers for them instead: a name, or a path. */
  readonly localModel?: string;
  /** Its answers at a time, and those that may wait. */
  readonly localModelSlots: number = DEFAULTS.LOCAL_MODEL_SLOTS;
  readonly localModelQueue: number = DEFAULTS.LOCAL_MODEL_QUEUE;
  /** Maximum number of concurrent live sessions. */
  readonly liveSessions: number = DEFAULTS.LIVE_SESSIONS;
  /** How long a live session may be idle before it ends. */
  readonly liveIdleSeconds: number = DEFAULTS.LIVE_IDLE_SECONDS;
  /** How long a client may leave pings unanswered. */
  readonly livePingSeconds: number = DEFAULTS.LIVE_PING_SECONDS;
  /** Public address for calls by WebRTC; unset: those of this machine. */
  readonly liveWebrtcAddress?: string;
  /** UDP ports of these calls. */
  readonly liveWebrtcPorts: { readonly min: number; readonly max: number } = DEFAULTS.LIVE_WEBRTC_PORTS;
  /** Maximum number of concurrent event streams. */
  readonly eventStreams: number = DEFAULTS.EVENT_STREAMS;
  /** Maximum length of the rendering queue for videos. */
  readonly videoQueue: number = DEFAULTS.VIDEO_QUEUE;
  /** Maximum memory of a knowledge base, and of all that are in memory, in MiB. */
  readonly knowledgeMemoryMb: number = DEFAULTS.KNOWLEDGE_MEMORY_MB;
  /** Enables the operators' routes; without it there are none. */
  readonly adminKey?: string;
  /** Further keys, each with a scope. */
  readonly adminKeys: readonly AdminKey[] = DEFAULTS.ADMIN_KEYS;
  readonly logLevel: LogLevel = DEFAULTS.LOG_LEVEL;
  /** Where traces are sent; unset: nowhere. */
  readonly otlpEndpoint?: string;
  readonly otelServiceName: string = DEFAULTS.OTEL_SERVICE_NAME;
  readonly dataDir: string = DEFAULTS.DATA_DIR;
  /** Directory of models for speech. */
  readonly modelsDir: string = 'data/models';
  /** Whether the model for English may be downloaded automatically. */
  readonly speechModels: 'auto' | 'off' = DEFAULTS.SPEECH_MODELS;
  /** The catalogue that fills an empty database, if not the shipped one. */
  readonly catalogueFile?: string | undefined;
  /** Warnings for the startup log about settings that are allowed but discouraged. They hold no values. */
  readonly warnings: readonly string[] = [];

  /** @param variables used instead of the environment for variables that the catalogue names */
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

  /** A copy with some values changed. */
  with(values: ConfigValues): Config {
    return new Config({ ...this, ...values }, variablesOf.get(this));
  }

  /** The value of a variable that the catalogue names, such as an engine's `api_key_env`. */
  secret(name: string): string | undefined {
    return (variablesOf.get(this) ?? process.env)[name] || undefined;
  }
}
