/**
 * kill -9 of the service, and with it of its embedded store, under clients that write turns and retry each with its
 * Idempotency-Key until it is acknowledged. Afterwards everything is read back: each acknowledged message has to
 * exist, once, in its position, and no other.
 *
 *   npm run verify -- kill [--rounds 50] [--writes 100000] [--clients 32] [--seed N]
 *
 * A write is a message; a turn is two. In every fifth round the next process is also killed, during its start.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from '../../scripts/arguments.mjs';
import { check } from '../../packages/embedded-mongo/test/check.mjs';
import { random } from '../../packages/embedded-mongo/test/generate.mjs';
import { directory, freePort, launchService, LISTENING, printed, Report, untilReady } from './harness.mjs';
import { Writers } from './writers.mjs';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '50' },
    writes: { type: 'string', default: '100000' },
    clients: { type: 'string', default: '32' },
    seed: { type: 'string' },
  },
});
const [rounds, target, clients] = [values.rounds, values.writes, values.clients].map(Number);
const seed = Number(values.seed ?? Math.floor(Math.random() * 1e9));
const { below } = random(seed);

const report = new Report(`npm run verify -- kill --seed ${seed}`);
const port = await freePort();
const writers = new Writers([port], clients);
const start = () => launchService({ PORT: String(port), LOG_LEVEL: 'warn' });
let service = start();
await printed(service, LISTENING);
await untilReady(port);

async function killInRounds() {
  let kills = 0;
  for (let round = 1; round <= rounds; round++) {
    while (writers.acknowledged < (target * (round - 0.5)) / rounds) {
      if (writers.faults.length > 0) return kills;
      await sleep(5);
    }
    await sleep(below(50));
    await service.stop('SIGKILL');
    kills++;
    service = start();
    if (round % 5 === 0) {
      await sleep(below(1000));
      await service.stop('SIGKILL');
      kills++;
      service = start();
    }
    await printed(service, LISTENING);
  }
  return kills;
}

const started = Date.now();
const [kills] = await Promise.all([killInRounds(), writers.write(() => writers.acknowledged >= target)]);
const seconds = ((Date.now() - started) / 1000).toFixed(0);

const { acknowledged, repeated, faults } = writers;
if (faults.length > 0) console.log(`While they wrote: ${faults[0]}`);
const { lost, duplicated } = await writers.readBack();
await service.stop();
for (const fault of await check(join(directory, 'database'))) faults.push(fault);
for (const fault of faults.slice(0, 20)) console.log(fault);
report.row(
  `kill -9 of the service and its store under ${clients} writing clients that retry`,
  `${rounds} rounds, ${target} acknowledged, 0 lost, 0 duplicated`,
  `${kills} kills in ${rounds} rounds, ${acknowledged} acknowledged in ${seconds} s, ${repeated} requests repeated: ${lost} lost, ${duplicated} duplicated`,
  acknowledged >= target && lost + duplicated + faults.length === 0,
);
report.end();
