/**
 * Restarts under load. First, one process gets SIGTERM while clients write and read: every request in progress has
 * to be answered, and the process has to exit within 5 s. Then two processes on one database are restarted in turn
 * behind a small load balancer with keep-alive: no client may notice, and every acknowledged turn has to be stored,
 * once. The balancer retries a request on the other process only if a connection was refused or the response was a 503.
 *
 *   npm run verify -- restarts [--rounds 10] [--clients 16]
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from '../../scripts/arguments.mjs';
import { startBalancer } from './balancer.mjs';
import { faultsOfHistories, isFailure, outcomes, startLoad } from './busy-clients.mjs';
import { freePort, Report, startDatabase, startService } from './harness.mjs';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '10' }, clients: { type: 'string', default: '16' } },
});
const [rounds, clients] = [values.rounds, values.clients].map(Number);

const report = new Report('npm run verify -- restarts');
const database = await startDatabase();
const start = (PORT) => startService({ MONGODB_URI: database.uri, PORT: String(PORT) });

let inFlight = 0;
const failed = [];
let slowest = 0;
const codes = new Set();
for (let round = 0; round < rounds; round++) {
  const service = await start(0);
  const load = await startLoad(service.port, clients);
  await sleep(1000);
  const signalled = performance.now();
  codes.add(await service.stop('SIGTERM'));
  slowest = Math.max(slowest, performance.now() - signalled);
  await load.stop();
  const arrived = load.requests.filter(({ sent, ended }) => sent < signalled && ended > signalled);
  inFlight += arrived.length;
  failed.push(...arrived.filter(isFailure));
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
  const load = await startLoad(balancer.port, clients);
  await sleep(1000);
  for (let round = 0; round < rounds * 2; round++) {
    const one = round % 2;
    await services[one].stop('SIGTERM');
    services[one] = await start(ports[one]);
    while (!balancer.healthy(ports[one])) await sleep(50);
    await sleep(500);
  }
  await load.stop();
  const lost = load.requests.filter(isFailure);
  if (lost.length > 0) console.log(outcomes(lost));
  const { turns, faults } = await faultsOfHistories(balancer.port, load.users);
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
