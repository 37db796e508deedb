/** Clients that read and write all the time while processes are restarted, and what has become of their requests. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ask, keepAlive, tokenOf } from './harness.mjs';

/** The pause between two requests of a client, in milliseconds, so that the test does not just measure two saturated processors. */
const PAUSE = 25;

/** Sends requests of a number of clients to a port, each one after the other, until they are stopped. */
export async function startLoad(port, clients) {
  const agent = keepAlive(clients);
  const requests = [];
  let stopped = false;
  const users = await Promise.all(
    Array.from({ length: clients }, async (_, n) => {
      const user_id = `user-${port}-${n}`;
      return { user_id, token: await tokenOf(port, user_id), turns: new Set() };
    }),
  );
  const client = async ({ user_id, token, turns }) => {
    for (let n = 0; !stopped; n++) {
      // Only the balancer retries, after a 503.
      const headers = { 'idempotency-key': String(n) };
      const turn = { method: 'POST', headers, body: { avatar_id: 'ada', request: `Message ${n}` } };
      /** @type {[string, import('./harness.mjs').Request][]} */
      const kinds = [
        [`/chat?user_id=${user_id}&per_page=10`, {}],
        ['/chat', turn],
        ['/connection', {}],
        ['/jwt', { method: 'POST', body: { user_id } }],
      ];
      const [path, options] = kinds[n % kinds.length];
      const one = { path, sent: performance.now() };
      requests.push(one);
      const answer = await ask(port, path, { token, agent, ...options });
      const { status, body } = answer;
      Object.assign(one, { status, error: answer.error ?? answer.headers['x-cause'], ended: performance.now() });
      if (status === 201) turns.add(body.incoming._id);
      if (status === 0) await sleep(50);
      await sleep(PAUSE);
    }
  };
  const running = Promise.all(users.map(client));
  return {
    requests,
    users,
    async stop() {
      stopped = true;
      await running;
      agent.destroy();
    },
  };
}

export const isFailure = ({ status }) => status !== 200 && status !== 201;

/** How many requests ended how, as text. */
export function outcomes(requests) {
  const counted = {};
  for (const { path, status, error } of requests) {
    const name = `${path.replace(/\?.*/, '')} ${status} ${error ?? ''}`.trim();
    counted[name] = (counted[name] ?? 0) + 1;
  }
  return JSON.stringify(counted);
}

/** A user's messages, newest first. @returns {Promise<any[]>} */
export async function historyOf(port, { user_id, token }) {
  const stored = [];
  for (let page = 1, more = true; more; page++) {
    const { body } = await ask(port, `/chat?user_id=${user_id}&per_page=1000&page=${page}`, { token });
    stored.push(...body.payload);
    more = body.has_more_messages;
  }
  return stored;
}

/** Acknowledged turns that are not stored, and what is stored twice. */
export async function faultsOfHistories(port, users) {
  let turns = 0;
  const faults = [];
  for (const { user_id, token, turns: acknowledged } of users) {
    const stored = await historyOf(port, { user_id, token });
    turns += acknowledged.size;
    for (const _id of acknowledged) if (!stored.some((message) => message._id === _id)) faults.push(_id);
    const said = stored.map(({ direction, request }) => `${user_id} ${direction} ${request}`);
    faults.push(...said.filter((one, n) => said.indexOf(one) !== n));
  }
  return { turns, faults };
}
