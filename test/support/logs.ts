import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { pino } from 'pino';
import { Config, type Logger } from '../../src/index.js';
import { createLogger } from '../../src/platform/logging/index.js';

/** The variable in which the suite's setup passes the directory of all logs of a run. */
const LOGS_VARIABLE = 'E2E_LOGS';

/** A logger that writes all its lines to a file; `logs.reporter.mjs` checks them at the end. */
export function fileLogger(): Logger {
  const directory = process.env[LOGS_VARIABLE];
  if (!directory) return pino({ level: 'silent' });
  const log = pino.destination({ dest: join(directory, `${randomUUID()}.log`), sync: true });
  return createLogger(new Config({ logLevel: 'trace' }), log);
}
