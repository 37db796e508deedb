/**
 * Changes the primary of a replica set under clients that write through two processes of the service and retry
 * unacknowledged requests: is anything lost, stored twice or out of order, and for how long is nothing acknowledged?
 *
 *   MONGODB_URI='mongodb://a,b,c/?replicaSet=rs0' npm run verify -- failover [--rounds 5] [--seconds 10] [--clients 16]
 *
 * Each round asks the primary to step down, which requires a privileged user. With --interrupt COMMAND it runs that shell
 * command instead, which has to stop the primary in any way and bring it back later; the variable PRIMARY names it. The
 * service uses a database of its own, which is dropped at the end.
 */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import mongoose from 'mongoose';
import { parseArgs } from '../../scripts/arguments.mjs';
import { Report, startService } from './harness.mjs';
import { Writers } from './writers.mjs';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '10' },
    clients: { type: 'string', default: '16' },
    interrupt: { type: 'string' },
  },
});
const [rounds, seconds, clients] = [values.rounds, values.seconds, values.clients].map(Number);
/** How long the former primary stays out of elections. */
const STEP_DOWN_SECONDS = 30;
/** How long to wait for a primary. */
const PATIENCE_MS = 60_000;

const uri = process.env.MONGODB_URI;
if (!uri) {
  console.error('MONGODB_URI must name a replica set.');
  process.exit(2);
}
const database = `verify_failover_${randomBytes(6).toString('hex')}`;
const [, hosts, options = ''] = /^(mongodb(?:\+srv)?:\/\/[^/?]+)(?:\/[^?]*)?(\?.*)?$/.exec(uri) ?? [];
const connection = await mongoose
  .createConnection(uri, { dbName: database, serverSelectionTimeoutMS: 5000 })
  .asPromise();
const admin = connection.getClient().db('admin');
/** @returns {Promise<any>} */
const hello = () => admin.command({ hello: 1 });
const { setName, hosts: members = [], primary: first } = await hello();
if (!setName) {
  console.error('MONGODB_URI names a server that is not a member of a replica set.');
  process.exit(2);
}

const report = new Report('npm run verify -- failover');
console.log(`replica set ${setName}, members ${members.join(', ')}, primary ${first}\n`);
const service = { MONGODB_URI: `${hosts}/${database}${options}`, LOG_LEVEL: 'warn' };
const services = await Promise.all([startService(service), startService(service)]);
const writers = new Writers(
  services.map(({ port }) => port),
  clients,
);

/** The primary, or undefined if there is none yet. */
async function primary() {
  const end = performance.now() + PATIENCE_MS;
  while (performance.now() < end) {
    const answer = await hello().catch(() => ({}));
    if (answer.isWritablePrimary) return answer.me ?? answer.primary;
    await sleep(200);
  }
  return undefined;
}

async function interrupt(PRIMARY) {
  if (values.interrupt) {
    const { status } = spawnSync(values.interrupt, {
      shell: true,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, PRIMARY },
    });
    if (status !== 0) throw new Error(`The command ended with ${status}`);
    return;
  }
  try {
    await admin.command({ replSetStepDown: STEP_DOWN_SECONDS });
  } catch (error) {
    // Servers before MongoDB 4.2 close the connection.
    if (error instanceof mongoose.mongo.MongoServerError) throw error;
  }
}

let changes = 0;
let interrupted = 0;
let done = false;
async function changePrimaries() {
  try {
    for (let round = 0; round < rounds && writers.faults.length === 0; round++) {
      await sleep(seconds * 1000);
      const before = await primary();
      await interrupt(before);
      interrupted++;
      const after = await primary();
      if (!after) throw new Error(`There was no primary for ${PATIENCE_MS / 1000} s`);
      if (after !== before) changes++;
    }
    await sleep(seconds * 1000);
  } catch (error) {
    writers.faults.push(String(error));
  } finally {
    done = true;
  }
}

await Promise.all([changePrimaries(), writers.write(() => done)]);
const { lost, duplicated } = await writers.readBack();
await Promise.all(services.map(({ stop }) => stop()));
await connection.dropDatabase();
await connection.close();

const { acknowledged, repeated, faults, longestPause } = writers;
for (const fault of faults.slice(0, 20)) console.log(fault);
report.row('Interruptions of the primary', rounds, interrupted, interrupted === rounds);
report.row('after which another member was the primary', '–', changes);
report.row(
  `Messages of ${clients} clients that retry, through two processes`,
  '0 lost, 0 duplicated, 0 other faults',
  `${acknowledged} acknowledged, ${repeated} requests repeated: ${lost} lost, ${duplicated} duplicated, ${faults.length} other faults`,
  lost + duplicated + faults.length === 0 && acknowledged > 0,
);
report.row('Longest time without an acknowledgement', '–', `${(longestPause / 1000).toFixed(1)} s`);
report.end();
