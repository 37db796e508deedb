/**
 * Restarts under load. First, one process gets SIGTERM while clients write and read: every request in progress has
 * to be answered, and the process has to exit within 5 s. Then two processes on one database are restarted in turn
 * behind a small load balancer with keep-alive: no client may notice, and every acknowledged turn has to be stored,
 * once. The balancer retries a request on the other process only if a connection was refused or the response was a 503.
 *
 *   npm run verify -- restarts [--rounds 10] [--clients 16]
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startBalancer } from './balancer.mjs';
import { ask, freePort, keepAlive, Report, startDatabase, startService, tokenOf } from './harness.mjs';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '10' }, clients: { type: 'string', default: '16' } },
});
const [rounds, clients] = [values.rounds, values.clients].map(Number);
/** The pause between two requests of a client, in milliseconds, so that the test does not just measure two saturated processors. */
const PAUSE = 25;

const report = new Report('npm run verify -- restarts');
const database = await startDatabase();
const start = (PORT) => startService({ MONGODB_URI: database.uri, PORT: String(PORT) });

/** Clients that send requests to a port, one after the other, until they are stopped. */
async function startLoad(port) {
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

const outcomes = (requests) => {
  const counted = {};
  for (const { path, status, error } of requests) {
    const name = `${path.replace(/\?.*/, '')} ${status} ${error ?? ''}`.trim();
    counted[name] = (counted[name] ?? 0) + 1;
  }
  return JSON.stringify(counted);
};

let inFlight = 0;
const failed = [];
let slowest = 0;
const codes = new Set();
for (let round = 0; round < rounds; round++) {
  const service = await start(0);
  const load = await startLoad(service.port);
  await sleep(1000);
  const signalled = performance.now();
  codes.add(await service.stop('SIGTERM'));
  slowest = Math.max(slowest, performance.now() - signalled);
  await load.stop();
  const arrived = load.requests.filter(({ sent, ended }) => sent < signalled && ended > signalled);
  inFlight += arrived.length;
  failed.push(...arrived.filter(({ status }) => status !== 200 && status !== 201));
}
if (failed.length > 0) console.log(outcomes(failed));
report.row(
  `SIGTERM under ${clients} busy clients, ${rounds} times: requests in progress that failed`,
  '0',
  `${failed.length} of ${inFlight}`,
  failed.length === 0 && inFlight > 0,
);
report.row(
  'The same: from SIGTERM to the exit, at most',
  '≤ 5 s, with code 0',
  `${(slowest / 1000).toFixed(1)} s, code ${[...codes].join(', ')}`,
  slowest <= 5000 && codes.size === 1 && codes.has(0),
);

for (const health of [500, undefined]) {
  const ports = [await freePort(), await freePort()];
  const services = await Promise.all(ports.map(start));
  const balancer = await startBalancer(ports, health);
  const load = await startLoad(balancer.port);
  await sleep(1000);
  for (let round = 0; round < rounds * 2; round++) {
    const one = round % 2;
    await services[one].stop('SIGTERM');
    services[one] = await start(ports[one]);
    while (!balancer.healthy(ports[one])) await sleep(50);
    await sleep(500);
  }
  await load.stop();
  const lost = load.requests.filter(({ status }) => status !== 200 && status !== 201);
  if (lost.length > 0) console.log(outcomes(lost));
  let turns = 0;
  const faults = [];
  for (const { user_id, token, turns: acknowledged } of load.users) {
    const stored = [];
    for (let page = 1, more = true; more; page++) {
      const { body } = await ask(balancer.port, `/chat?user_id=${user_id}&per_page=1000&page=${page}`, { token });
      stored.push(...body.payload);
      more = body.has_more_messages;
    }
    turns += acknowledged.size;
    for (const _id of acknowledged) if (!stored.some((message) => message._id === _id)) faults.push(_id);
    const said = stored.map(({ direction, request }) => `${user_id} ${direction} ${request}`);
    faults.push(...said.filter((one, n) => said.indexOf(one) !== n));
  }
  if (faults.length > 0) console.log(faults.slice(0, 5));
  const { retriedRefused, retried503 } = balancer.counts;
  report.row(
    `Two processes restarted in turn, ${rounds * 2} restarts, behind a balancer that ${health ? `asks for health every ${health} ms` : 'asks for no health'}: requests lost`,
    health ? '0' : 'for information: what no process has accepted yet when its port closes',
    `${lost.length} of ${load.requests.length} (${retried503} repeated after a 503, ${retriedRefused} after a refused connection)`,
    lost.length === 0 || !health,
  );
  report.row(
    'The same: acknowledged turns that are not stored, or not once',
    '0',
    `${faults.length} of ${turns}`,
    faults.length === 0,
  );
  balancer.stop();
  for (const service of services) await service.stop('SIGKILL');
}
report.end();
