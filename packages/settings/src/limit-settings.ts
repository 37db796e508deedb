import { integer, onOrOff, type Setting } from 'avatar-chat-runtime';

const MAX_COUNT = 1_000_000;

/** Rate limits per user or address. */
export const LIMIT_SETTINGS = {
  RATE_LIMIT: {
    group: 'Rate limits',
    description: 'Whether requests are limited',
    kind: onOrOff,
    default: 'off',
    productionDefault: 'on',
  },
  RATE_LIMIT_JWT: {
    group: 'Rate limits',
    description: 'Tokens per minute and client address',
    kind: integer(1, MAX_COUNT),
    default: '300',
  },
  RATE_LIMIT_TURNS: {
    group: 'Rate limits',
    description: 'Turns per minute and user',
    kind: integer(1, MAX_COUNT),
    default: '60',
  },
  RATE_LIMIT_OPEN_TURNS: {
    group: 'Rate limits',
    description: 'Turns per minute and client address in projects whose `token_policy` is `open`',
    kind: integer(1, MAX_COUNT),
    default: '1200',
  },
  RATE_LIMIT_READS: {
    group: 'Rate limits',
    description: 'Other requests per minute and user',
    kind: integer(1, MAX_COUNT),
    default: '600',
  },
  RATE_LIMIT_UPLOADS: {
    group: 'Rate limits',
    description: 'Recordings per hour and user',
    kind: integer(10, MAX_COUNT),
    unit: 'MiB',
    default: '256',
  },
  VIDEO_SECONDS: {
    group: 'Rate limits',
    description: 'Video rendered per hour and user; answers beyond that are sound',
    kind: integer(1, MAX_COUNT),
    unit: 'seconds',
    default: '600',
  },
  EVENT_STREAMS: {
    group: 'Rate limits',
    description: 'Event streams at a time in each process; further ones get 503',
    kind: integer(1, 10_000),
    default: '2000',
  },
} as const satisfies Record<string, Setting>;
