/** The service, the floor and the peers: how to start each, and the equivalent requests for each. */
import { setTimeout as delay } from 'node:timers/promises';
import { USERS } from './data.mjs';
import { freePort, run, whenReady } from '../test/support/processes.mjs';

export const SECRET = 'a secret of the benchmark, which protects nothing at all';
const READY_STEP_MS = 50;
const READY_LIMIT_MS = 60_000;
const JSON_BODY = { 'content-type': 'application/json' };

async function listen(file, uri, env = {}) {
  const port = await freePort();
  // Downloading models in the background would use processor time that does not belong to a request.
  const settings = { PORT: String(port), MONGODB_URI: uri, JWT_SECRET: SECRET, SPEECH_MODELS: 'off', ...env };
  const running = await whenReady(run(file, [], settings, { stderr: 'inherit' }), /listening/);
  return { ...running, url: `http://127.0.0.1:${port}` };
}

/** @returns {Promise<any>} */
async function json(url, path, init) {
  const response = await fetch(url + path, init);
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

const tokenRequest = (user_id) => ({
  method: 'POST',
  path: '/jwt',
  headers: JSON_BODY,
  body: JSON.stringify({ user_id }),
});

/** Programs that implement the service's API. Each user's requests carry that user's token. */
async function withInterface(name, running, users) {
  const tokens = {};
  for (const user of users) tokens[user] = (await json(running.url, '/jwt', tokenRequest(user))).jwt;
  const get = (user, path) => ({ method: 'GET', path, headers: { authorization: `Bearer ${tokens[user]}` } });
  return {
    name,
    ...running,
    jwt: () => USERS.map(tokenRequest),
    connection: () => USERS.map((user) => get(user, '/connection')),
    turn: () =>
      USERS.map((user) => ({
        ...get(user, '/chat'),
        method: 'POST',
        headers: { ...JSON_BODY, authorization: `Bearer ${tokens[user]}` },
        body: JSON.stringify({ avatar_id: 'ada', request: 'How far away is the moon?' }),
      })),
    /** @param query of the history, such as `per_page=20&page=10` */
    chat: (query, users = USERS) => users.map((user) => get(user, `/chat?user_id=${user}&${query}`)),
  };
}

/** @param {string} [main] the main program of another build */
export async function startService(uri, users, env, main = 'dist/programs/main.js') {
  const running = await listen(main, uri, env);
  // On a busy machine the database may respond too late for the start.
  for (let waited = 0; !(await fetch(`${running.url}/health/ready`)).ok; waited += READY_STEP_MS) {
    if (waited > READY_LIMIT_MS) throw new Error(`${running.url} is not ready`);
    await delay(READY_STEP_MS);
  }
  return withInterface('service', running, users);
}

export async function startFloor(uri, users) {
  return withInterface('floor', await listen('bench/floor.mjs', uri), users);
}

export async function startTutorial(uri, users) {
  return withInterface('tutorial', await listen('bench/tutorial.mjs', uri), users);
}

export async function startNestSample(uri, users) {
  return withInterface('nest sample', await listen('bench/dist/nest-sample.js', uri), users);
}

/** Only reads pages, and needs no token for that: its own sessions use collations, which the embedded store does not support. */
export async function startParse(uri) {
  const running = await listen('bench/parse.mjs', uri);
  const headers = { 'X-Parse-Application-Id': 'bench' };
  const page = (user, query) => {
    const given = new URLSearchParams(query);
    const limit = Number(given.get('per_page') ?? 100);
    const skip = (Number(given.get('page') ?? 1) - 1) * limit;
    const where = JSON.stringify({ project_id: 'default', user_id: user });
    const path = `/parse/classes/Message?${new URLSearchParams({ where, order: '-date', limit: String(limit), skip: String(skip) })}`;
    return { method: 'GET', path, headers };
  };
  return { name: 'Parse Server', ...running, chat: (query, users = USERS) => users.map((user) => page(user, query)) };
}
