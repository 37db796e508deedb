import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Readable } from 'node:stream';
import { keepOutput } from './logs.js';

const SERVICE = 'dist/main.js';

/** A built program of this project, running as a process of its own. */
export interface Running {
  process: ChildProcess;
  /** What it has printed. */
  output: { out: string; err: string };
  /** Its exit code, once it has ended. */
  ended: Promise<number | null>;
}

export interface Limits {
  /** The size from which on a file cannot grow, as if the disk were full. */
  fileBytes?: number;
}

/** Starts `node FILE ARGUMENTS`, with these variables and no others but PATH. */
export function run(
  file: string,
  args: string[] = [],
  env: Record<string, string> = {},
  { fileBytes }: Limits = {},
): Running {
  const program = [process.execPath, file, ...args];
  // In units of 512 bytes. With the signal ignored, it is the write that is told of the limit.
  const limited = ['/bin/sh', '-c', `trap '' XFSZ; ulimit -f ${(fileBytes ?? 0) / 512}; exec "$@"`, 'sh', ...program];
  const [command = '', ...rest] = fileBytes ? limited : program;
  const child = spawn(command, rest, {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => (output.out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output.err += chunk.toString()));
  const ended = once(child, 'close').then(([code]) => {
    if (file === SERVICE) keepOutput(output.out);
    return code as number | null;
  });
  return { process: child, output, ended };
}

/** The first match in what a process prints; rejects if it ends before. */
export async function printed(running: Running, pattern: RegExp): Promise<RegExpExecArray> {
  const find = () => pattern.exec(running.output.out);
  const stream = running.process.stdout as Readable;
  for (let match = find(); ; match = find()) {
    if (match) return match;
    const ended = await Promise.race([once(stream, 'data').then(() => false), running.ended.then(() => true)]);
    if (ended) throw new Error(`It ended without printing ${pattern}: ${running.output.err}`);
  }
}

export interface Service extends Running {
  url: string;
}

/** Starts the service on a port of the system's choice, and waits until it listens. */
export async function startService(env: Record<string, string>, limits?: Limits): Promise<Service> {
  const running = run(SERVICE, [], { PORT: '0', ...env }, limits);
  const [, url = ''] = await printed(running, /listening on (http:\S+)/);
  return { ...running, url };
}

/** Starts the embedded store as a server of its own, on this port. */
export async function startDatabase(path: string, port: number): Promise<Running & { uri: string }> {
  const running = run('packages/embedded-mongo/dist/main.js', ['--port', String(port), '--path', path]);
  const [uri] = await printed(running, /mongodb:\/\/\S+/);
  return { ...running, uri };
}
