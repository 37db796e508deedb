import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Terminal } from 'avatar-chat-command-line';
import { run } from '../../src/cli/index.js';
import type { TestApp } from './index.js';

/** Sets the variables by which commands find a service's database, its secret, and a directory for files. */
export function setCliVariables({ config }: TestApp, DATA_DIR: string): void {
  if (config.database.kind !== 'mongodb') throw new Error('Not the database that was asked for');
  Object.assign(process.env, { MONGODB_URI: config.database.uri, JWT_SECRET: config.jwtSecret, DATA_DIR });
}

/**
 * Runs a command.
 *
 * @param args separated by spaces
 * @param input of the command
 */
export async function cli(
  args: string,
  input = '',
  modules: Parameters<typeof run>[2] = [],
): Promise<{ code: number; out: string; err: string }> {
  const [stdin, stdout, stderr] = [Readable.from([input]), new PassThrough(), new PassThrough()];
  const results = Promise.all([text(stdout), text(stderr)]);
  const code = await run(args.split(' '), new Terminal({ stdin, stdout, stderr }), modules);
  stdout.end();
  stderr.end();
  const [out, err] = await results;
  return { code, out, err };
}
