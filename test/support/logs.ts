import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { pino } from 'pino';
import type { Logger } from '../../src/index.js';

/** The variable by which the suite's set-up names the directory where all logs of a run are kept. */
const LOGS_VARIABLE = 'E2E_LOGS';

/** A log that writes everything that it is given; `logs.reporter.mjs` reads it in the end. */
export function keptLogger(): Logger {
  const directory = process.env[LOGS_VARIABLE];
  if (!directory) return pino({ level: 'silent' });
  const log = pino.destination({ dest: join(directory, `${randomUUID()}.log`), sync: true });
  return pino({ level: 'trace', base: undefined, timestamp: pino.stdTimeFunctions.isoTime }, log);
}
