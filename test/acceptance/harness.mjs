/** Shared by the scripts in this directory: runs the built programs as processes, sends requests, and reports figures. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { launch, run, startService as startBareService, whenReady } from '../support/processes.mjs';
import '../../scripts/ensure-built.mjs';

export { freePort, launch, LISTENING, printed, startDatabase } from '../support/processes.mjs';

/** A directory of this run. Removed at exit. */
export const directory = mkdtempSync(join(tmpdir(), 'verify-'));
process.on('exit', () => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(130));

/** Starts a program, and waits until its output matches. */
export const start = (command, args, env, pattern, options) =>
  whenReady(launch(command, args, { stderr: 'inherit', ...options, env }), pattern);

/** The service, with little logging, and one secret for the whole run. */
const SECRET = randomBytes(32).toString('hex');
const settings = (env) => ({ PORT: '0', DATA_DIR: directory, LOG_LEVEL: 'silent', JWT_SECRET: SECRET, ...env });
export const launchService = (env) => run('dist/programs/main.js', [], settings(env), { stderr: 'inherit' });
export const startService = (env, onLine) => startBareService(settings(env), { stderr: 'inherit', onLine });

const READY_LIMIT_MS = 180_000;

/**
 * Waits until the service on a port is ready, which may be a while after it listens.
 *
 * @param {number} port
 */
export async function untilReady(port) {
  const end = performance.now() + READY_LIMIT_MS;
  while ((await ask(port, '/health/ready')).status !== 200) {
    if (performance.now() > end) throw new Error('The service is not ready');
    await sleep(50);
  }
}

export const keepAlive = (maxSockets = 64) => new Agent({ keepAlive: true, maxSockets });

/**
 * @typedef {object} Request
 * @property {string} [method]
 * @property {string} [token]
 * @property {unknown} [body] sent as JSON
 * @property {Record<string, string>} [headers]
 * @property {Agent} [agent]
 * @typedef {object} Answer
 * @property {number} ms
 * @property {number} status
 * @property {string} [error]
 * @property {any} [headers]
 * @property {string} [text]
 * @property {any} [body] the parsed JSON
 */

/**
 * One request. Never rejects: `status` is that of the response, or 0 with the system's code in `error` if there was no complete
 * response. `ms` is the time to the end of the response.
 *
 * @param {number} port
 * @param {string} path
 * @param {Request} [options]
 * @returns {Promise<Answer>}
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

/** The value of a metric in /metrics. */
export async function metric(port, name) {
  const { text = '' } = await ask(port, '/metrics');
  return Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1]);
}

/** Prints figures as rows of the table in RESULTS.md. A row without a target is informational. */
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
    console.log(this.missed === 0 ? '\nAll targets are met.' : `\n${this.missed} targets are missed.`);
    process.exit(this.missed === 0 ? 0 : 1);
  }
}
