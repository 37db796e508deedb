/**
 * Sends the same random commands to embedded-mongo and to another server, and compares the replies as BSON.
 *
 *   node packages/embedded-mongo/test/differential.mjs --other mongodb://127.0.0.1:27018 [--commands 20000] [--seed N] [--show 10]
 *
 * Exits with 1 if there is a difference that `known` does not explain.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { EJSON } from 'bson';
import { mongo } from 'mongoose';
import { createEmbeddedMongo } from '../dist/index.js';
import { check } from './check.mjs';
import { generator } from './generate.mjs';
import { ORDER, known } from './known.mjs';

const { values } = parseArgs({
  options: {
    other: { type: 'string' },
    commands: { type: 'string', default: '20000' },
    seed: { type: 'string' },
    show: { type: 'string', default: '10' },
  },
});
const seed = Number(values.seed ?? Math.floor(Math.random() * 1e9));
const wanted = Number(values.commands);
const ROUND = 40;

const path = mkdtempSync(join(tmpdir(), 'embedded-differential-'));
const embedded = await createEmbeddedMongo({ path });
const clients = await Promise.all(
  [embedded.uri, String(values.other)].map((uri) =>
    new mongo.MongoClient(uri, { promoteValues: false, bsonRegExp: true }).connect(),
  ),
);
const databases = clients.map((client) => client.db(`differential_${process.pid}`));
const text = (value) => EJSON.stringify(value, { relaxed: false });

/** A reply without the parts that depend on the server and the time. */
async function ask(db, command) {
  try {
    const { ok, operationTime, $clusterTime, opTime, electionId, cursor, ...rest } = await db.command(command);
    if (!cursor) return plain(rest);
    // Indexes come in creation order or by name.
    return {
      batch: command.listIndexes ? cursor.firstBatch.sort((a, b) => (a.name < b.name ? -1 : 1)) : cursor.firstBatch,
    };
  } catch (thrown) {
    const error = /** @type {mongo.MongoServerError} */ (thrown);
    if (error.code === undefined) throw error;
    return {
      failed: error.code,
      ...(error.code === 11000 && { keyPattern: error.keyPattern, keyValue: error.keyValue }),
    };
  }
}
function plain({ writeErrors, values, note, msg, ...reply }) {
  const rest = Object.fromEntries(Object.entries(reply).sort(([one], [other]) => (one < other ? -1 : 1)));
  return {
    ...rest,
    // A set: no order is guaranteed.
    ...(values && { values: values.map(text).sort() }),
    ...(writeErrors && {
      writeErrors: writeErrors.map(({ index, code, keyPattern, keyValue }) => ({
        index,
        code,
        ...(Number(code) === 11000 && { keyPattern, keyValue }),
      })),
    }),
  };
}

let sent = 0;
let rounds = 0;
const explained = new Map();
const differences = [];
const started = Date.now();
for (; sent < wanted; rounds++) {
  const g = generator(seed + rounds);
  const name = `c${rounds}`;
  /** @type {any[]} */
  const history = [{ insert: name, documents: Array.from({ length: 5 + g.below(20) }, (_, i) => g.doc(i)) }];
  for (let i = 0; i < 2; i++) if (g.chance(0.6)) history.push({ createIndexes: name, indexes: [g.index()] });
  for (let i = 0; i < ROUND; i++) history.push(g.command(name));
  for (const [step, command] of history.entries()) {
    const kind = Object.keys(command)[0];
    const writes = !['find', 'count', 'distinct', 'aggregate', 'listIndexes'].includes(kind);
    const asked = writes ? [command, { find: name, sort: { _id: 1 }, batchSize: 1000 }] : [command];
    /** @type {any} */
    let different;
    for (const one of asked) {
      const [a, b] = await Promise.all(databases.map((db) => ask(db, one)));
      sent++;
      if (text(a) !== text(b)) different ??= { round: rounds, step, command, asked: one, a, b };
    }
    if (!different) continue;
    const reason = known(different);
    if (reason) explained.set(reason, (explained.get(reason) ?? 0) + 1);
    else differences.push(different);
    // From here on, the two may hold different documents.
    if (writes && reason !== ORDER) break;
  }
  // Keep half of them for the final check of the indexes.
  if (rounds % 2) await Promise.all(databases.map((db) => db.dropCollection(name).catch(() => undefined)));
}
await databases[1].dropDatabase();
await Promise.all(clients.map((client) => client.close()));
await embedded.close();
const faults = await check(path);
rmSync(path, { recursive: true });

/** The first document in which two batches differ, or the whole batches. */
function part(a, b) {
  if (!a.batch || !b.batch) return [a, b].map((one) => EJSON.stringify(one));
  const at = a.batch.findIndex((doc, i) => text(doc) !== text(b.batch[i] ?? null));
  const i = at < 0 ? a.batch.length : at;
  return [a, b].map(({ batch }) => `${batch.length} documents, number ${i}: ${EJSON.stringify(batch[i] ?? null)}`);
}
for (const { round, step, command, asked, a, b } of differences.slice(0, Number(values.show))) {
  const [ours, theirs] = part(a, b);
  const after = asked === command ? '' : '\n  (the documents after it)';
  console.log(
    `\nround ${round} step ${step}\n  command  ${EJSON.stringify(command)}${after}\n  embedded ${ours}\n  other    ${theirs}`,
  );
}
console.log(
  `\nseed ${seed}: ${sent} commands in ${rounds} rounds, ${((Date.now() - started) / 1000).toFixed(0)} s; ${differences.length} unexplained differences, ${faults.length} index faults`,
);
for (const [reason, count] of [...explained].sort((x, y) => y[1] - x[1]))
  console.log(`  explained ${count} times: ${reason}`);
const kinds = new Map();
for (const { command } of differences)
  kinds.set(Object.keys(command)[0], (kinds.get(Object.keys(command)[0]) ?? 0) + 1);
if (differences.length) console.log(Object.fromEntries(kinds));
for (const fault of faults.slice(0, 10)) console.log(fault);
process.exitCode = differences.length || faults.length ? 1 : 0;
