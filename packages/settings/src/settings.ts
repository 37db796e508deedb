import { isIP } from 'node:net';
import { adminKeys } from './admin-keys.js';
import { secretNames } from './secret-names.js';
import { LIMIT_SETTINGS } from './limit-settings.js';
import {
  autoOrOff,
  databaseLocation,
  hosts,
  httpUrl,
  integer,
  type Kind,
  list,
  logLevel,
  onOrOff,
  origins,
  type Setting,
  text,
  tokens,
  trustedProxies,
  visibleAscii,
} from 'avatar-chat-runtime';

export const MIN_SECRET_BYTES = 32;
const YEAR_IN_SECONDS = 31_536_000;

const address: Kind<string> = {
  rule: 'an IPv4 or IPv6 address',
  parse: (given) => (isIP(given) ? given : undefined),
};

const ports: Kind<{ min: number; max: number }> = {
  rule: 'a range of ports from 1024 to 65535, such as 50000-50199',
  parse(given) {
    const [min = 0, max = 0] = /^\d{4,5}-\d{4,5}$/.test(given) ? given.split('-').map(Number) : [];
    return min >= 1024 && min <= max && max <= 65_535 ? { min, max } : undefined;
  },
};

/** Every setting of the service. Errors and `.env.example` are generated from this table. */
export const SETTINGS = {
  HOST: {
    group: 'Server',
    description: 'Address to listen on',
    kind: text('a host name or an address'),
    default: '127.0.0.1',
  },
  PORT: {
    group: 'Server',
    description: 'Port to listen on; 0 lets the system choose',
    kind: integer(0, 65_535),
    default: '3000',
  },
  WORKERS: {
    group: 'Server',
    description: 'Processes that serve the port: one for each processor that the service may use',
    kind: integer(1, 64),
    default: '1',
  },
  SHUTDOWN_SECONDS: {
    group: 'Server',
    description:
      'How long a process may take to finish what is in progress after `SIGTERM`. Answers still in progress are cut 1.5 s before',
    kind: integer(3, 3600),
    unit: 'seconds',
    default: '4',
  },
  PUBLIC_URL: {
    group: 'Server',
    description: 'Base of the absolute URLs in responses. Must be set in production',
    kind: httpUrl,
    defaultText: 'the address listened on',
  },
  CORS_ORIGINS: {
    group: 'Server',
    description: 'Origins whose pages may call the service from a browser',
    kind: origins,
    default: '',
  },
  CORS_METHODS: {
    group: 'Server',
    description: 'Methods that these pages may use besides those of the routes',
    kind: tokens('a comma-separated list of HTTP methods such as PATCH'),
    default: '',
  },
  CORS_HEADERS: {
    group: 'Server',
    description:
      'Request headers that these pages may set besides `Authorization`, `Content-Type`, `Idempotency-Key`, `Last-Event-ID` and `X-OpenAI-Agents-SDK`',
    kind: tokens('a comma-separated list of header names'),
    default: '',
  },
  TRUST_PROXY: {
    group: 'Server',
    description: 'Proxies whose `X-Forwarded-For` is trusted',
    kind: trustedProxies,
    default: 'false',
  },
  MONGODB_URI: {
    group: 'Data',
    description:
      'Where the data is. `embedded:PATH` is a store in a directory of one machine, for evaluation, development and tests; `embedded::memory:` keeps nothing. Must be set in production',
    kind: databaseLocation,
    defaultText: 'embedded, in `database` under `DATA_DIR`',
    secret: true,
  },
  DATA_DIR: {
    group: 'Data',
    description: 'Where the embedded store and a generated secret are kept',
    kind: text('a directory'),
    default: './data',
  },
  CATALOGUE_FILE: {
    group: 'Data',
    description: 'Catalogue that fills an empty database: projects, avatars, languages, settings',
    kind: text('a file'),
    defaultText: 'catalogue/default.json',
  },
  MODELS_DIR: {
    group: 'Data',
    description: 'Where models for speech and language are kept',
    kind: text('a directory'),
    defaultText: '`models` under `DATA_DIR`',
  },
  HF_ENDPOINT: {
    group: 'Data',
    description: 'Hub from which `speech install` and `model install` fetch: Hugging Face or a copy of it',
    kind: httpUrl,
    default: 'https://huggingface.co',
  },
  SPEECH_MODELS: {
    group: 'Data',
    description:
      '`auto`: outside production, the model for English is fetched in the background if it is not installed; `off`: nothing is fetched. An installed model is used in either case',
    kind: autoOrOff,
    default: 'auto',
  },
  JWT_SECRET: {
    group: 'Tokens',
    description:
      'Signs the tokens. Generate one with `openssl rand -base64 48`. Must be set in production, which refuses shorter ones and the sample',
    kind: text(`at least ${MIN_SECRET_BYTES} bytes`),
    defaultText: 'generated on first start, kept in `DATA_DIR`',
    // Publicly known, so rejected in production.
    sample: 'change-me-this-sample-secret-is-public-0123456789',
    secret: true,
  },
  JWT_PREVIOUS_SECRETS: {
    group: 'Tokens',
    description: 'Further secrets whose tokens are accepted, such as former ones',
    kind: list(`comma-separated, each at least ${MIN_SECRET_BYTES} bytes`),
    default: '',
    secret: true,
  },
  JWT_TTL_SECONDS: {
    group: 'Tokens',
    description: 'How long a token is valid',
    kind: integer(1, YEAR_IN_SECONDS),
    unit: 'seconds',
    default: '86400',
  },
  ...LIMIT_SETTINGS,
  PRIVATE_HOSTS: {
    group: 'Outgoing requests',
    description:
      'Hosts of webhooks, models and speech providers that may be called by plain http and at non-public addresses',
    kind: hosts,
    default: '*',
    productionDefault: '',
  },
  CATALOGUE_SECRETS: {
    group: 'Outgoing requests',
    description:
      'Variables that the catalogue may name as keys of providers, besides `OPENAI_API_KEY` and all that begin with `PROVIDER_`',
    kind: secretNames,
    default: '',
  },
  WEBHOOK_TIMEOUT_SECONDS: {
    group: 'Outgoing requests',
    description: 'How long a webhook receiver may take to respond',
    kind: integer(1, 30),
    unit: 'seconds',
    default: '15',
  },
  WEBHOOK_BACKLOG: {
    group: 'Outgoing requests',
    description: 'Events that may wait for one webhook. Further ones are dropped and counted',
    kind: integer(10, 10_000_000),
    default: '100000',
  },
  OPENAI_MODEL: {
    group: 'Model',
    description: 'Model that answers for scripted avatars. If it fails, their script answers',
    kind: text('the name of a model'),
    defaultText: 'none: scripts answer',
  },
  LOCAL_MODEL: {
    group: 'Model',
    description:
      'Model that answers for scripted avatars inside the service: the name of one that `model install` has installed, or the path of a GGUF file. Not beside `OPENAI_MODEL`',
    kind: text('the name of an installed model, or the path of a GGUF file'),
    defaultText: 'none',
  },
  LOCAL_MODEL_SLOTS: {
    group: 'Model',
    description: 'Answers of the models inside the service at a time, together',
    kind: integer(1, 16),
    default: '2',
  },
  LOCAL_MODEL_QUEUE: {
    group: 'Model',
    description: 'Answers that wait for it; beyond them, the script answers, or clients get 503',
    kind: integer(0, 1000),
    default: '8',
  },
  OPENAI_BASE_URL: {
    group: 'Model',
    description: 'Server of the model: any with the OpenAI API',
    kind: httpUrl,
    default: 'https://api.openai.com/v1',
  },
  OPENAI_API_KEY: {
    group: 'Model',
    description: 'Key for that server; the catalogue may refer to it too',
    kind: text('a key'),
    defaultText: 'none',
    secret: true,
  },
  LIVE_SESSIONS: {
    group: 'Live mode',
    description: 'Live conversations at a time in each process; further ones get 503',
    kind: integer(1, 1000),
    default: '4',
  },
  LIVE_IDLE_SECONDS: {
    group: 'Live mode',
    description: 'How long a live session may be without anything from its client before it ends',
    kind: integer(1, 86_400),
    unit: 'seconds',
    default: '300',
  },
  LIVE_PING_SECONDS: {
    group: 'Live mode',
    description: 'How long a live client may take to answer a ping before its connection is closed',
    kind: integer(1, 3600),
    unit: 'seconds',
    default: '20',
  },
  LIVE_WEBRTC_ADDRESS: {
    group: 'Live mode',
    description:
      'Public address for calls by WebRTC, if the machine has another one; the ports must be forwarded to it unchanged',
    kind: address,
    defaultText: 'those of the machine',
  },
  LIVE_WEBRTC_PORTS: {
    group: 'Live mode',
    description: 'UDP ports of calls by WebRTC: at least one for each call',
    kind: ports,
    default: '50000-50199',
  },
  KNOWLEDGE_MEMORY_MB: {
    group: 'Knowledge',
    description:
      'Memory of the knowledge bases in each process. A document with which its base would need more is refused',
    kind: integer(8, 1_000_000),
    unit: 'MiB',
    default: '256',
  },
  VIDEO_QUEUE: {
    group: 'Video',
    description: 'Videos that may wait for rendering in each process; answers beyond that have only sound',
    kind: integer(0, 1000),
    default: '16',
  },
  LOG_LEVEL: { group: 'Operation', description: 'Lowest severity to log', kind: logLevel, default: 'info' },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    group: 'Operation',
    description:
      'Collector that gets traces by OpenTelemetry, with the optional package `@opentelemetry/sdk-node`, which reads its further variables `OTEL_…`',
    kind: httpUrl,
    defaultText: 'none: nothing is traced',
  },
  OTEL_SERVICE_NAME: {
    group: 'Operation',
    description: 'Name of the service in these traces',
    kind: text('a name'),
    default: 'avatar-chat-service',
  },
  DEMO: {
    group: 'Operation',
    description: 'Whether the demo page is served at `/`',
    kind: onOrOff,
    default: 'on',
    productionDefault: 'off',
  },
  ADMIN_KEY: {
    group: 'Operation',
    description: 'Key for the administration routes under `/admin`, and for the console',
    kind: visibleAscii(MIN_SECRET_BYTES, 512),
    defaultText: 'none: these routes and the console are off',
    secret: true,
  },
  ADMIN_KEYS: {
    group: 'Operation',
    description:
      'Further such keys with a scope, as `NAME:ROLE:PROJECT:KEY`, separated by commas. Roles are `owner`, `agent` and `viewer`; `*` is all projects',
    kind: adminKeys,
    default: '',
    secret: true,
  },
} as const satisfies Record<string, Setting>;

type Settings = typeof SETTINGS;
export type SettingName = keyof Settings;

type ValueOf<S extends Setting> =
  S['kind'] extends Kind<infer T> ? (S extends { default: string } ? T : T | undefined) : never;

/** The values of all settings, by name. */
export type SettingValues = { readonly [Name in SettingName]: ValueOf<Settings[Name]> };
