/** Measures a service while one or several people talk with it live. Linux only: reads /proc. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { cpu, proportional } from '../../../bench/usage.mjs';
import { startModel } from '../clients/model.mjs';
import { ask, keepAlive, startService, tokenOf, untilReady } from '../harness.mjs';
import { LiveClient } from './client.mjs';
import { converse } from './conversation.mjs';

/** Text requests per second, of each kind. */
const RATE = 10;

/** Finds the speech recognition model: in MODELS_DIR, or installed into a directory. @param {string} directory */
export function installModel(directory) {
  const MODELS_DIR = process.env.MODELS_DIR ?? join(directory, 'models');
  const env = { ...process.env, MODELS_DIR };
  const { status, stderr } = spawnSync(process.execPath, ['dist/programs/cli.js', 'speech', 'install'], {
    env,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return MODELS_DIR;
}

/** A service for live sessions. @param {string} modelsDir @param {Record<string, string>} [env] */
export async function startLive(modelsDir, env) {
  const settings = { MODELS_DIR: modelsDir, MONGODB_URI: 'embedded::memory:', RATE_LIMIT: 'off', ...env };
  const service = await startService(settings);
  await untilReady(service.port);
  return service;
}

/**
 * A service for live sessions with a stub of a model, in which clients may tell the model something.
 *
 * @param {string} modelsDir
 * @param {string} directory for its catalogue
 */
export async function startWithModel(modelsDir, directory) {
  const model = await startModel();
  const catalogue = JSON.parse(readFileSync('catalogue/default.json', 'utf8'));
  for (const { settings } of catalogue.projects) settings.clientContext = true;
  const CATALOGUE_FILE = join(directory, 'with-model.json');
  writeFileSync(CATALOGUE_FILE, JSON.stringify(catalogue));
  const service = await startLive(modelsDir, { CATALOGUE_FILE, OPENAI_MODEL: 'stub', OPENAI_BASE_URL: model.base_url });
  const stop = async () => {
    await service.stop();
    model.stop();
  };
  return { ...service, stop };
}

/**
 * Several speakers hold the conversation, starting a second apart, with text requests meanwhile if there is more than one.
 *
 * @param {{ port: number, pid: number }} service
 * @param {import('./utterances.mjs').Utterance[]} utterances
 * @param {number} speakers
 */
export async function measure({ port, pid }, utterances, speakers) {
  const url = `ws://127.0.0.1:${port}/v1/realtime?model=ada&language_code=en`;
  const users = Array.from({ length: speakers }, (_, at) => `live-${speakers}-${at}`);
  const [began, used] = [performance.now(), cpu(pid)];
  let [isOver, peak] = [false, 0];
  const watching = (async () => {
    for (; !isOver; await delay(500)) peak = Math.max(peak, proportional(pid));
  })();
  const texts = speakers > 1 ? textsMeanwhile(port, () => isOver) : [];
  const talking = Promise.all(
    users.map(async (user, at) => {
      await delay(at * 1000);
      const token = await tokenOf(port, user);
      return { ...(await converse(url, token, utterances)), history: await historyOf(port, user, token) };
    }),
  ).finally(() => (isOver = true));
  const [talks, times] = await Promise.all([talking, texts, watching]);
  const share = (cpu(pid) - used) / (performance.now() - began) / speakers;
  return { talks, share, peak, texts: times };
}

/**
 * Opens many sessions at once when all slots are taken.
 *
 * @param {{ port: number, pid: number }} service
 * @param {number} places
 * @param {number} attempts
 * @returns {Promise<{ refused: number, grownMiB: number, slowest: number, isWell: boolean }>} `isWell`: the existing
 *   sessions continue, and a freed slot can be taken
 */
export async function refuse({ port, pid }, places, attempts) {
  const url = `ws://127.0.0.1:${port}/v1/realtime?model=ada&language_code=en`;
  const token = await tokenOf(port, 'refused');
  const open = await Promise.all(Array.from({ length: places }, () => LiveClient.open(url, token)));
  await Promise.all(open.map((client) => client.until('session.created')));
  const before = proportional(pid);
  let isOver = false;
  const texts = textsMeanwhile(port, () => isOver);
  const answers = await Promise.all(
    Array.from({ length: attempts }, () =>
      LiveClient.open(url, token).then(
        () => false,
        ({ response }) => response?.statusCode === 503 && Number(response.headers['retry-after']) > 0,
      ),
    ),
  );
  isOver = true;
  const grownMiB = proportional(pid) - before;
  const [first, ...others] = open;
  first.socket.close();
  await first.closed;
  const next = await LiveClient.open(url, token).catch(() => undefined);
  const alive = await Promise.all(
    others.map((client) => {
      const since = performance.now();
      client.send('session.update', { session: { type: 'realtime' } });
      return client.until('session.updated', since).then(Boolean, () => false);
    }),
  );
  for (const client of [next, ...others]) client?.socket.close();
  const isWell = next !== undefined && alive.every(Boolean);
  return { refused: answers.filter(Boolean).length, grownMiB, slowest: Math.max(...(await texts)), isWell };
}

/** The messages of a history, oldest first. @param {number} port @param {string} user @param {string} token */
async function historyOf(port, user, token) {
  const { status, body } = await ask(port, `/chat?user_id=${user}&per_page=100`, { token });
  if (status !== 200) throw new Error(`GET /chat answered ${status}`);
  return /** @type {any[]} */ (body.payload).toReversed();
}

/** The latencies of `GET /chat` and `GET /connection`, in milliseconds. @param {number} port @param {() => boolean} isOver */
export async function textsMeanwhile(port, isOver) {
  const agent = keepAlive(4);
  const token = await tokenOf(port, 'reader');
  /** @type {number[]} */
  const times = [];
  for (let at = 0; !isOver(); at++) {
    const path = at % 2 === 0 ? '/chat?user_id=reader' : '/connection?user_id=reader';
    const { status, ms } = await ask(port, path, { token, agent });
    if (status !== 200) throw new Error(`${path} answered ${status}`);
    times.push(ms);
    await delay(1000 / (2 * RATE));
  }
  return times;
}

/** Differences between the history and what was said. @param {Awaited<ReturnType<typeof measure>>['talks'][number]} talk @returns {string[]} */
export function historyFaults({ turns, history }) {
  const plain = (/** @type {string} */ text = '') => text.replace(/\s+/g, ' ').trim();
  const asked = history.filter(({ direction }) => direction === 'outgoing').map(({ request }) => plain(request));
  const answers = history.filter(({ direction, request }) => direction === 'incoming' && request);
  const faults = [];
  const expect = (what, seen, expected) => {
    if (seen.length !== expected.length) faults.push(`${seen.length} ${what} instead of ${expected.length}`);
    else
      for (const [at, text] of expected.entries())
        if (seen[at] !== text) faults.push(`${what}: “${seen[at]}” instead of “${text}”`);
  };
  expect(
    'requests',
    asked,
    turns.map(({ heard }) => plain(heard)),
  );
  expect(
    'answers',
    answers.map(({ answer }) => plain(answer)),
    turns.map(({ answer }) => plain(answer)),
  );
  if (history.some(({ fileUrl }) => fileUrl)) faults.push('a message has a file');
  if (history.some(({ chat_type }) => chat_type !== 'voice')) faults.push('a message is not of a voice conversation');
  return faults;
}
