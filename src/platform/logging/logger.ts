import { nestLine, currentTrace } from 'avatar-chat-runtime';
import { Logger as NestContextLogger, type LoggerService } from '@nestjs/common';
import { type DestinationStream, type Level, type Logger, pino } from 'pino';
import type { Config } from '../config/index.js';
import { isChatter, isForTerminal, terminalStream } from './terminal.js';

export type { Logger } from 'pino';

/** Injection token of the logger: `@Inject(LOGGER) logger: Logger`. */
export const LOGGER = Symbol('LOGGER');

/** Bytes to buffer before a write: a write for each line costs as much as the line. */
const LOG_BUFFER = 2048;
/** Maximum bytes per write, in whole lines: up to this size, writes of several workers to one pipe are atomic. */
const LOG_WRITE = 4096;
/** Maximum time in milliseconds that a line is buffered; warnings and above are written at once. */
const LOG_DELAY_MS = 100;
const WARN = 40;

const standardOutput = pino.destination({
  minLength: LOG_BUFFER,
  maxWrite: LOG_WRITE,
  periodicFlush: LOG_DELAY_MS,
  sync: true,
});
process.once('exit', () => standardOutput.flushSync());

/**
 * The logger of the process: JSON lines on standard output, or readable lines on a developer's terminal. Each line has
 * the `trace_id` of what it belongs to.
 *
 * @param destination used instead
 */
export function createLogger(config: Config, destination?: DestinationStream): Logger {
  const terminal = !destination && isForTerminal(config.production) ? terminalStream() : undefined;
  return pino(
    {
      level: config.logLevel,
      base: undefined,
      timestamp: isoTime,
      mixin: () => ({ trace_id: currentTrace().id }),
      mixinMergeStrategy: (line, mixed) => ('trace_id' in line ? line : { ...mixed, ...line }),
      hooks: {
        logMethod(line, write, level) {
          if (terminal && isChatter(line[0]) && !this.isLevelEnabled('debug')) return;
          write.apply(this, line);
          if (level >= WARN) standardOutput.flushSync();
        },
      },
    },
    destination ?? terminal ?? standardOutput,
  );
}

let written = { at: 0, time: '' };

/** The same time as pino's `isoTime`, which takes a fortieth of the time of POST /jwt, formatted once a millisecond. */
function isoTime(): string {
  const at = Date.now();
  if (at !== written.at) written = { at, time: `,"time":"${new Date(at).toISOString()}"` };
  return written.time;
}

/** Distinguishes the service's lines from those of a host application. */
export const LOG_CONTEXT = 'AvatarChat';

/** Nest's `Logger` for a part of the service. In a host's log, its context is `AvatarChat:PART`. */
export const loggerOf = (part: string): NestContextLogger => new NestContextLogger(`${LOG_CONTEXT}:${part}`);

/**
 * Sends Nest's own lines, and those of modules that use its `Logger`, to the same log. Startup messages are at `debug`.
 */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, ...rest: unknown[]): void {
    this.write(rest.at(-1) === 'NestFactory' || isNestChatter(rest.at(-1)) ? 'debug' : 'info', message, rest);
  }
  fatal(message: unknown, ...rest: unknown[]): void {
    this.write('fatal', message, rest);
  }
  error(message: unknown, ...rest: unknown[]): void {
    // Nest also rejects with it.
    const isReported = rest.at(-1) === 'NestApplication' && /^Error: (listen|bind) /.test(String(message));
    this.write(isReported ? 'debug' : 'error', message, rest);
  }
  warn(message: unknown, ...rest: unknown[]): void {
    this.write('warn', message, rest);
  }
  debug(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }
  verbose(message: unknown, ...rest: unknown[]): void {
    this.write('trace', message, rest);
  }

  private write(level: Level, message: unknown, rest: unknown[]): void {
    const { fields, text } = nestLine(message, rest);
    // Not repeated in the service's own log.
    if (typeof fields.context === 'string') fields.context = fields.context.replace(/^AvatarChat:/, '');
    if (text === undefined) this.logger[level](fields);
    else this.logger[level](fields, text);
  }
}

function isNestChatter(context: unknown): boolean {
  return (
    typeof context === 'string' && /^(InstanceLoader|RoutesResolver|RouterExplorer|NestApplication)$/.test(context)
  );
}
