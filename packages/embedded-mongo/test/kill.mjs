/**
 * Two processes write to one directory. kill -9 ends one or both of them at a random moment.
 * Afterwards, every acknowledged write has to exist, and every index has to match its documents.
 *
 *   node packages/embedded-mongo/test/kill.mjs [--rounds 50] [--seed N]
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { mongo } from 'mongoose';
import { startDatabase } from '../../../test/support/processes.mjs';
import { check } from './check.mjs';
import { random } from './generate.mjs';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '50' }, seed: { type: 'string' } } });
const seed = Number(values.seed ?? Math.floor(Math.random() * 1e9));
const { below, pick } = random(seed);
const path = mkdtempSync(join(tmpdir(), 'embedded-kill-'));
const COUNTERS = 5;

/** A client that soon gives up a server that was killed, but waits for one that starts on a busy machine. */
async function connect(uri, attempts = 20) {
  const client = new mongo.MongoClient(uri, { serverSelectionTimeoutMS: 500 });
  try {
    return await client.connect();
  } catch (error) {
    await client.close();
    if (attempts === 1) throw error;
    return connect(uri, attempts - 1);
  }
}

async function start() {
  const { uri, stop } = await startDatabase(path);
  const client = await connect(uri);
  /** @type {mongo.Collection<any>} */
  const messages = client.db('kill').collection('messages');
  return { stop, client, messages, alive: true, dying: false };
}

const inserted = new Map();
/** The bounds of each counter: acknowledged and sent. */
const counters = Array.from({ length: COUNTERS }, () => ({ done: 0, sent: 0 }));
const retagged = new Map();
let serial = 0;
let survivorErrors = 0;

async function write(server, until) {
  while (server.alive && Date.now() < until) {
    const id = `m${serial++}`;
    const counter = below(COUNTERS);
    const old = `m${below(serial)}`;
    try {
      switch (pick(['insert', 'insert', 'count', 'retag', 'many'])) {
        case 'insert':
          await server.messages.insertOne({
            _id: id,
            user: `u${id.length}`,
            date: new Date(),
            tags: ['a', id],
            text: 'x'.repeat(below(1500)),
          });
          inserted.set(id, true);
          break;
        case 'many': {
          const docs = Array.from({ length: 10 }, (_, i) => ({
            _id: `${id}-${i}`,
            user: 'many',
            date: new Date(),
            tags: [],
          }));
          await server.messages.insertMany(docs);
          for (const doc of docs) inserted.set(doc._id, true);
          break;
        }
        case 'count':
          counters[counter].sent++;
          await server.messages.updateOne({ _id: `counter${counter}` }, { $inc: { n: 1 } }, { upsert: true });
          counters[counter].done++;
          break;
        case 'retag':
          if (!inserted.has(old) || retagged.has(old)) break;
          retagged.set(old, false);
          await server.messages.updateOne({ _id: old }, { $set: { user: 'retagged', tags: ['b', old, id] } });
          retagged.set(old, true);
      }
    } catch (error) {
      if (server.alive && !server.dying) {
        survivorErrors++;
        console.error(String(error));
      }
      return;
    }
  }
}

let servers = await Promise.all([start(), start()]);
await servers[0].messages.createIndexes([
  { key: { user: 1, date: -1, _id: -1 } },
  { key: { tags: 1 } },
  { key: { n: 1 }, unique: false, partialFilterExpression: { n: { $exists: true } } },
]);
const faults = [];
const started = Date.now();
for (let round = 1; round <= Number(values.rounds); round++) {
  const writers = servers.flatMap((server) => Array.from({ length: 8 }, () => write(server, Date.now() + 10_000)));
  await sleep(50 + below(350));
  const both = round % 4 === 0;
  const victims = both ? servers : [pick(servers)];
  for (const victim of victims) {
    victim.dying = true;
    await victim.stop('SIGKILL');
    victim.alive = false;
  }
  // The survivor has to keep working, though slowly on a busy machine.
  const before = inserted.size;
  for (let waits = 0; waits < 40 && !both && inserted.size === before; waits++) await sleep(150);
  if (!both && inserted.size === before) faults.push(`round ${round}: the other process stalled`);
  for (const server of servers) server.alive = false;
  await Promise.all(writers);
  const left = servers.find((server) => !victims.includes(server));
  const reader = left ?? (await start());
  reader.alive = true;
  const found = new Map(
    (await reader.messages.find({}, { projection: { n: 1, user: 1 } }).toArray()).map((doc) => [doc._id, doc]),
  );
  for (const id of inserted.keys()) if (!found.has(id)) faults.push(`round ${round}: ${id} is lost`);
  for (const [id, done] of retagged)
    if (done && found.get(id)?.user !== 'retagged') faults.push(`round ${round}: the update of ${id} is lost`);
  counters.forEach(({ done, sent }, i) => {
    const n = found.get(`counter${i}`)?.n ?? 0;
    if (n < done || n > sent)
      faults.push(`round ${round}: counter ${i} is ${n}, of ${done} acknowledged and ${sent} sent`);
    // Unacknowledged writes are settled now.
    Object.assign(counters[i], { done: n, sent: n });
  });
  for (const [id, done] of retagged) if (!done) retagged.delete(id);
  for (const fault of await check(path)) faults.push(`round ${round}: ${fault}`);
  for (const { client } of victims) await client.close();
  servers = [reader, await start()];
  if (faults.length) break;
}
for (const { stop, client } of servers) {
  await client.close();
  await stop();
}
for (const fault of faults.slice(0, 20)) console.log(fault);
const size = (statSync(join(path, 'embedded-mongo.mdb')).size / 1e6).toFixed(0);
const updates = counters.reduce((sum, { done }) => sum + done, 0) + retagged.size;
console.log(
  `seed ${seed}: ${values.rounds} rounds in ${((Date.now() - started) / 1000).toFixed(0)} s, ${inserted.size} inserts and ${updates} updates acknowledged, ${size} MB, ${faults.length} faults, ${survivorErrors} errors of the surviving process`,
);
rmSync(path, { recursive: true });
process.exitCode = faults.length || survivorErrors ? 1 : 0;
