/**
 * Runs programs as child processes, for tests, verification and benchmarks: starts them, waits until they are ready,
 * stops them.
 */
import { spawn } from 'node:child_process';
import { randomInt, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';

const SERVICE = resolve('dist/programs/main.js');
/** The embedded store as a standalone server. */
export const DATABASE = 'packages/embedded-mongo/dist/main.js';
const START_LIMIT_MS = 180_000;
/** How long a program may take to exit before it is killed. */
const STOP_LIMIT_MS = 60_000;
/** How long to wait for the remaining output of a program that has exited: a child process may hold it open. */
const OUTPUT_LIMIT_MS = 1000;
/** How many characters of the output are kept, counted from its end. */
const MAX_OUTPUT = 16 * 2 ** 20;
/** The variable with the directory in which a test run keeps all logs. */
const LOGS_VARIABLE = 'E2E_LOGS';

/** What the service prints when it is ready. */
export const LISTENING = /listening on (http:[^\s;]+)/;

/**
 * @typedef {object} Running
 * @property {import('node:child_process').ChildProcess} process
 * @property {number} pid
 * @property {{ out: string, err: string }} output what it has printed
 * @property {Promise<number | string>} ended its exit code, or the signal that ended it
 * @property {(signal?: NodeJS.Signals, limitMs?: number) => Promise<number | string>} stop sends SIGTERM or the given
 *   signal,
 *   and SIGKILL if it has not exited in time, a minute by default; resolves with the value of `ended`
 * @typedef {Running & { url: string, port: number }} Service
 * @typedef {Running & { uri: string, port: number }} Database
 *
 * @typedef {object} LaunchOptions
 * @property {Record<string, string | undefined>} [env] its variables; of those of this process it only gets PATH
 * @property {string} [cwd]
 * @property {number} [fileBytes] the size beyond which a file cannot grow, as if the disk were full
 * @property {'pipe' | 'inherit' | 'ignore'} [stderr] where its errors go; kept in `output` by default
 * @property {(line: string) => void} [onLine] gets every line of its output
 */

/** @type {Set<import('node:child_process').ChildProcess>} */
const children = new Set();
process.on('exit', () => {
  for (const child of children) {
    child.kill('SIGCONT');
    child.kill('SIGKILL');
  }
});

/**
 * Starts a program, which ends with this process at the latest.
 *
 * @param {string} command
 * @param {string[]} [args]
 * @param {LaunchOptions} [options]
 * @returns {Running}
 */
export function launch(command, args = [], { env = {}, cwd, fileBytes, stderr = 'pipe', onLine } = {}) {
  // In units of 512 bytes. If the signal is ignored, the write fails at the limit instead.
  const shell = `trap '' XFSZ; ulimit -f ${(fileBytes ?? 0) / 512}; exec "$@"`;
  const [program, rest] = fileBytes ? ['/bin/sh', ['-c', shell, 'sh', command, ...args]] : [command, args];
  const child = spawn(program, rest, {
    cwd,
    // No test downloads a model unless it asks for it.
    env: { PATH: process.env.PATH, SPEECH_MODELS: 'off', ...env },
    stdio: ['ignore', 'pipe', stderr],
  });
  children.add(child);
  const output = { out: '', err: '' };
  /** @param {'out' | 'err'} which @returns {(chunk: string) => void} */
  const keep = (which) => (chunk) => (output[which] = (output[which] + chunk).slice(-MAX_OUTPUT));
  const stdout = /** @type {import('node:stream').Readable} */ (child.stdout)
    .setEncoding('utf8')
    .on('data', keep('out'));
  child.stderr?.setEncoding('utf8').on('data', keep('err'));
  if (onLine) createInterface({ input: stdout }).on('line', onLine);
  const closed = once(child, 'close').catch(() => undefined);
  const ended = once(child, 'exit').then(
    async ([code, signal]) => {
      children.delete(child);
      await Promise.race([closed, delay(OUTPUT_LIMIT_MS, undefined, { ref: false })]);
      if (resolve(args[0] ?? '') === SERVICE) keepLog(output.out);
      return /** @type {number | string} */ (code ?? signal);
    },
    (error) => {
      children.delete(child);
      throw error;
    },
  );
  ended.catch(() => undefined); // whoever awaits it gets the error
  /** @type {Running['stop']} */
  const stop = (signal = 'SIGTERM', limitMs = STOP_LIMIT_MS) => {
    child.kill(signal);
    const killing = setTimeout(() => child.kill('SIGKILL'), limitMs);
    return ended.finally(() => clearTimeout(killing));
  };
  return { process: child, pid: child.pid ?? NaN, output, ended, stop };
}

/**
 * Starts `node FILE ARGUMENTS`.
 *
 * @param {string} file
 * @param {string[]} [args]
 * @param {LaunchOptions['env']} [env]
 * @param {LaunchOptions} [options]
 */
export const run = (file, args = [], env = {}, options = {}) =>
  launch(process.execPath, [file, ...args], { env, ...options });

/**
 * The first match in a program's output; rejects if it exits before, or does not print it in time.
 *
 * @param {Running} running
 * @param {RegExp} pattern
 * @returns {Promise<RegExpExecArray>}
 */
export function printed({ process: { stdout }, output, ended }, pattern, limitMs = START_LIMIT_MS) {
  return new Promise((resolve, reject) => {
    const look = () => {
      const match = pattern.exec(output.out);
      if (match) settle(() => resolve(match));
    };
    const fail = (/** @type {string} */ how) =>
      settle(() =>
        reject(new Error(`It ${how} without printing ${pattern}: ${(output.err || output.out).slice(-2000)}`)),
      );
    const timer = setTimeout(() => fail(`ran for ${limitMs / 1000} s`), limitMs);
    const settle = (/** @type {() => void} */ how) => {
      clearTimeout(timer);
      stdout?.off('data', look);
      how();
    };
    stdout?.on('data', look);
    ended.then(
      (code) => {
        look();
        fail(`ended with ${code}`);
      },
      (error) => settle(() => reject(error)),
    );
    look();
  });
}

/**
 * Starts a program and waits for matching output; kills it if there is none.
 *
 * @template {Running} T
 * @param {T} running
 * @param {RegExp} pattern
 * @returns {Promise<T & { match: RegExpExecArray }>}
 */
export async function whenReady(running, pattern) {
  try {
    return { ...running, match: await printed(running, pattern) };
  } catch (error) {
    running.process.kill('SIGKILL');
    throw error;
  }
}

/**
 * Starts the service, on a port of the system's choice unless PORT names one, and waits until it listens.
 *
 * @param {LaunchOptions['env']} env
 * @param {LaunchOptions} [options]
 * @returns {Promise<Service>}
 */
export async function startService(env, options) {
  const running = await whenReady(run(SERVICE, [], { PORT: '0', ...env }, options), LISTENING);
  const [, url = ''] = running.match;
  return { ...running, url, port: Number(new URL(url).port) };
}

/**
 * Starts the embedded store as a standalone server.
 *
 * @param {string} [path] of its data directory; in memory by default
 * @param {number} [port] of the system's choice by default
 * @param {LaunchOptions & { nodeOptions?: string[] }} [options]
 * @returns {Promise<Database>}
 */
export async function startDatabase(path = ':memory:', port = 0, { nodeOptions = [], ...options } = {}) {
  const args = [...nodeOptions, DATABASE, '--port', String(port), '--path', path];
  const running = await whenReady(launch(process.execPath, args, options), /mongodb:\/\/[^:]+:(\d+)\S*/);
  return { ...running, uri: running.match[0], port: Number(running.match[1]) };
}

/**
 * A free port, for a program that restarts on the same one: below the ephemeral range, so that no other program or
 * connection gets it in the meantime.
 *
 * @returns {Promise<number>}
 */
export async function freePort() {
  const server = createServer().listen(randomInt(10_000, 32_768), '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return freePort();
  }
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  server.close();
  await once(server, 'close');
  return port;
}

/** Stores the service's output with the other logs of a test run. @param {string} text */
function keepLog(text) {
  const directory = process.env[LOGS_VARIABLE];
  // A killed process may have written half of its last line, and the beginning of a very long output is dropped.
  const from = text.length < MAX_OUTPUT ? 0 : text.indexOf('\n') + 1;
  const lines = text.slice(from, text.lastIndexOf('\n') + 1);
  if (directory && lines) appendFileSync(join(directory, `${randomUUID()}.log`), lines);
}
