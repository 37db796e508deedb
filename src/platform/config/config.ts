export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Where the data is: a MongoDB server, or the embedded store in a directory (`:memory:` keeps nothing). */
export type DatabaseLocation = { kind: 'mongodb'; uri: string } | { kind: 'embedded'; path: string };

/** A limit of requests a minute, by its subject. */
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
  /** Recordings in MiB, an hour and user; 256 where it is left out. */
  uploads?: number;
}

/**
 * Everything that an operator can set, read once from the environment, checked and frozen.
 * Also the injection token: `constructor(private readonly config: Config) {}`.
 */
export class Config {
  readonly production: boolean = false;
  readonly host: string = '127.0.0.1';
  /** 0 lets the system choose. */
  readonly port: number = 3000;
  /** How many processes serve the port. */
  readonly workers: number = 1;
  /** Base of every absolute URL in an answer, without a trailing slash; unset: the address listened on. */
  readonly publicUrl?: string;
  readonly database: DatabaseLocation = { kind: 'embedded', path: 'data/database' };
  /** Whether `MONGODB_URI` was given; if not, the start line says what is used instead. */
  readonly databaseChosen: boolean = false;
  readonly jwtSecret: string = '';
  /** Secrets that no longer sign but still verify. */
  readonly jwtPreviousSecrets: readonly string[] = [];
  readonly jwtTtlSeconds: number = 86_400;
  /** Origins that browsers may call from; `*` is any; empty: none. */
  readonly corsOrigins: readonly string[] = [];
  /** Proxies whose `X-Forwarded-*` headers are believed: addresses, ranges, or a number of hops. */
  readonly trustProxy: string | number | boolean = false;
  readonly rateLimits: RateLimits = { enabled: false, jwt: 300, turns: 60, openTurns: 1200, reads: 600 };
  /** Whether the page to try it is served at `/`. */
  readonly demo: boolean = false;
  /** Hosts that may be called by plain http, or at addresses that are not public; `*` is any. */
  readonly privateHosts: readonly string[] = ['*'];
  /** Variables whose values the catalogue may have sent to providers, besides those that every catalogue may name. */
  readonly catalogueSecrets: readonly string[] = [];
  /** How long a receiver of webhooks may take for its answer. */
  readonly webhookTimeoutSeconds: number = 15;
  /** Opens the operators' routes; without one there are none. */
  readonly adminKey?: string;
  readonly logLevel: LogLevel = 'info';
  readonly dataDir: string = './data';
  /** The catalogue that fills an empty database. */
  readonly catalogueFile: string = '';
  /** What is allowed but should not stay so, for the log of the start. Holds no values. */
  readonly warnings: readonly string[] = [];

  constructor(values: Partial<Config> = {}) {
    Object.assign(this, values);
    Object.freeze(this);
  }
}
