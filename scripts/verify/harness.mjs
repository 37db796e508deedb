/** For the scripts beside this one: the built programs as processes of their own, requests to them, and the figures. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { createServer } from 'node:net';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import '../ensure-built.mjs';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const children = new Set();
/** A directory of this run, which goes when it ends, as do its processes. */
export const directory = mkdtempSync(join(tmpdir(), 'verify-'));
process.on('exit', () => {
  for (const child of children) {
    child.kill('SIGCONT');
    child.kill('SIGKILL');
  }
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(130));

/**
 * Starts a program; `ready` is what matches in what it prints. Of the options, `onLine` gets every line of its output, and
 * the others are those of `spawn`.
 */
export function launch(command, args, env, pattern, { onLine = () => {}, ...options } = {}) {
  const child = spawn(command, args, {
    cwd: ROOT,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
    ...options,
  });
  children.add(child);
  const ended = once(child, 'exit').finally(() => children.delete(child));
  const ready = new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      onLine(line);
      const match = pattern.exec(line);
      if (match) resolve(match);
    });
    ended.then(([code]) => reject(new Error(`${command} ${args[0]} ended with ${code} before it was ready`)), reject);
  });
  ready.catch(() => undefined); // whoever awaits it hears of it
  const stop = async (signal = 'SIGTERM') => {
    child.kill(signal);
    const [code, by] = await ended;
    return code ?? by;
  };
  return { child, ready, ended, stop };
}

/** Starts a program, and waits until it prints what matches. */
export async function start(...what) {
  const program = launch(...what);
  return { ...program, found: await program.ready };
}

/** The service, quiet, and with one secret for all of a run. */
const SECRET = randomBytes(32).toString('hex');
export function launchService(env, onLine) {
  const settings = { PORT: '0', DATA_DIR: directory, LOG_LEVEL: 'silent', JWT_SECRET: SECRET, ...env };
  return launch(process.execPath, ['dist/main.js'], settings, /listening on (http:\S+)/, { onLine });
}
export async function startService(env, onLine) {
  const service = launchService(env, onLine);
  return { ...service, port: Number(new URL((await service.ready)[1]).port) };
}

/** The embedded store as a server of its own, on a port of its choice unless it is given one. */
export async function startDatabase(path = ':memory:', port = 0) {
  const args = ['packages/embedded-mongo/dist/main.js', '--port', String(port), '--path', path];
  const database = await start(process.execPath, args, {}, /mongodb:\/\/\S+/);
  return { ...database, uri: database.found[0], port: Number(/:(\d+)/.exec(database.found[0].slice(10))[1]) };
}

/** A port that nothing listens on, for a service that is to come back to the same one. */
export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

export const keepAlive = (maxSockets = 64) => new Agent({ keepAlive: true, maxSockets });

/**
 * One request. Never rejects: `status` is that of the answer, or 0 with `error`, the system's code, where none came whole.
 * `ms` is the time to the end of the answer.
 */
export function ask(port, path, { method = 'GET', token, body, headers = {}, agent } = {}) {
  const started = performance.now();
  const text = body === undefined ? undefined : JSON.stringify(body);
  return new Promise((resolve) => {
    const done = (answer) => resolve({ ms: performance.now() - started, ...answer });
    const failed = (error) => done({ status: 0, error: error.code ?? error.message });
    const call = request(
      {
        host: '127.0.0.1',
        port,
        path,
        method,
        agent,
        headers: {
          ...(token ? { authorization: `Bearer ${token}` } : {}),
          ...(text ? { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) } : {}),
          ...headers,
        },
      },
      async (response) => {
        try {
          let received = '';
          for await (const chunk of response) received += chunk;
          const isJson = /json/.test(response.headers['content-type'] ?? '');
          const parsed = isJson && received ? JSON.parse(received) : undefined;
          done({ status: response.statusCode, headers: response.headers, text: received, body: parsed });
        } catch (error) {
          failed(error);
        }
      },
    );
    call.on('error', failed);
    call.end(text);
  });
}

export async function tokenOf(port, user_id = 'ann') {
  const { status, body } = await ask(port, '/jwt', { method: 'POST', body: { user_id } });
  if (status !== 200) throw new Error(`POST /jwt answered ${status}`);
  return body.jwt;
}

/** A value of /metrics. */
export async function metric(port, name) {
  const { text } = await ask(port, '/metrics');
  return Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)[1]);
}

/** Figures as rows of the table in RESULTS.md; one without a target is for information. */
export class Report {
  constructor(command) {
    this.command = command;
    this.missed = 0;
    console.log(`${command}, ${availableParallelism()} processors, Node ${process.versions.node}\n`);
  }
  row(what, target, seen, holds = true) {
    if (!holds) this.missed++;
    console.log(`| ${what} | ${target} | ${seen}${holds ? '' : ' **missed**'} | \`${this.command}\` |`);
  }
  end() {
    console.log(this.missed === 0 ? '\nAll targets are reached.' : `\n${this.missed} targets are missed.`);
    process.exit(this.missed === 0 ? 0 : 1);
  }
}
