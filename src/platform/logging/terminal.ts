import { createRequire } from 'node:module';
import type { DestinationStream } from 'pino';
import type { PrettyOptions } from 'pino-pretty';

/** The fields of an access log line. */
interface Access {
  method: string;
  route: string;
  status: number;
  ms: number;
}

const isAccess = (line: object): line is Access => 'route' in line && 'status' in line;

/** Whether the log is read by a developer, rather than by a program. */
export const isForTerminal = (production: boolean) => process.stdout.isTTY && !production;

/**
 * Successful requests are logged at `debug` on a terminal: a page view has dozens, and the start line would scroll
 * away.
 */
export const isChatter = (line: unknown) =>
  typeof line === 'object' && line !== null && isAccess(line) && line.status < 400;

/**
 * Readable lines on standard output.
 *
 * @param options further ones of pino-pretty
 * @returns undefined if `pino-pretty` is not installed, as after `npm ci --omit=dev`
 */
export function terminalStream(options: PrettyOptions = {}): DestinationStream | undefined {
  const pretty = load();
  return pretty?.({
    sync: true,
    singleLine: true,
    translateTime: 'SYS:HH:MM:ss',
    ignore: 'context,method,route,status,ms,trace_id',
    messageFormat(line, key) {
      if (isAccess(line)) return `${line.method} ${line.route} ${line.status} ${line.ms} ms`;
      return [line.context, line[key]].filter(Boolean).join(': ');
    },
    ...options,
  });
}

function load(): ((options: PrettyOptions) => DestinationStream) | undefined {
  try {
    return createRequire(import.meta.url)('pino-pretty');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}
