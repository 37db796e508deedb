/**
 * The embedded store under load: many documents with five indexes, restarts and kills, in a small heap, with a
 * second client that must never wait long. Then a full disk: a file system of its own if mounting is allowed, otherwise
 * the system's limit on file size.
 *
 *   npm run verify -- store [--documents 1000000] [--restarts 4] [--heap 400] [--wait 1000] [--file 64]
 *
 * `--heap` is in MiB, `--wait` in milliseconds, `--file`, the space for the second part, in MiB.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { mongo } from 'mongoose';
import { parseArgs } from '../../scripts/arguments.mjs';
import { check } from '../../packages/embedded-mongo/test/check.mjs';
import { directory, Report, startDatabase } from './harness.mjs';

const { values } = parseArgs({
  options: {
    documents: { type: 'string', default: '1000000' },
    restarts: { type: 'string', default: '4' },
    heap: { type: 'string', default: '400' },
    wait: { type: 'string', default: '1000' },
    file: { type: 'string', default: '64' },
  },
});
const [documents, restarts, heap, wait, file] = ['documents', 'restarts', 'heap', 'wait', 'file'].map((name) =>
  Number(values[name]),
);
const report = new Report('npm run verify -- store');
const MIB = 1024 * 1024;
const BATCH = 1000;
const OUT_OF_DISK_SPACE = 14031;

/** @param {string} path @param {{ limit?: number, maxHeap?: number, quiet?: boolean }} [options] */
async function open(path, { limit, maxHeap, quiet } = {}) {
  const server = await startDatabase(path, 0, {
    nodeOptions: maxHeap ? [`--max-old-space-size=${maxHeap}`] : [],
    fileBytes: limit && limit * MIB,
    stderr: quiet ? 'pipe' : 'inherit',
  });
  const client = await new mongo.MongoClient(server.uri, { serverSelectionTimeoutMS: 5000 }).connect();
  /** @type {mongo.Collection<any>} */
  const messages = client.db('load').collection('messages');
  const close = async (signal) => {
    const ended = server.stop(signal);
    await client.close();
    return ended;
  };
  return { ...server, client, db: client.db('load'), messages, close };
}

const document = (i) => ({
  _id: i,
  project_id: `p${i % 10}`,
  user_id: `user-${i % 1000}`,
  date: new Date(1.7e12 + i * 1000),
  tags: [`t${i % 50}`, `s${i % 7}`],
  n: (i * 7919) % documents,
  request: 'How do I get from the station to the museum, and is it open today? '.repeat(1 + (i % 5)),
});
/** @type {mongo.IndexDescription[]} */
const indexes = [
  { key: { project_id: 1, user_id: 1, date: -1, _id: -1 } },
  { key: { tags: 1 } },
  { key: { n: 1 }, unique: true },
  { key: { date: 1 } },
  { key: { user_id: 1, n: -1 }, partialFilterExpression: { n: { $gt: 10 } } },
];

/** The longest latency of a client that reads one document repeatedly while `work` runs. */
async function besides({ uri, messages }, work) {
  const other = await new mongo.MongoClient(uri).connect();
  /** @type {mongo.Collection<any>} */
  const ofOther = other.db('load').collection('messages');
  let [longest, working] = [0, true];
  const asking = (async () => {
    while (working) {
      const from = performance.now();
      await ofOther.findOne({ _id: 0 });
      longest = Math.max(longest, performance.now() - from);
      await delay(5);
    }
  })();
  try {
    return [await work(messages), () => Math.round(longest)];
  } finally {
    working = false;
    await asking;
    await other.close();
  }
}

async function load(path) {
  let server = await open(path, { maxHeap: heap });
  await server.messages.createIndexes(indexes);
  const from = performance.now();
  let next = 0;
  const faults = [];
  for (let round = 1; round <= restarts + 1; round++) {
    const until = Math.floor((documents * round) / (restarts + 1));
    for (; next < until; next += BATCH) {
      const some = Array.from({ length: Math.min(BATCH, until - next) }, (_, i) => document(next + i));
      await server.messages.insertMany(some);
    }
    next = until;
    await server.close(round % 2 ? 'SIGKILL' : 'SIGTERM');
    server = await open(path, { maxHeap: heap });
    const found = await server.messages.countDocuments();
    if (found !== next) faults.push(`${found} of ${next} after restart ${round}`);
  }
  const seconds = ((performance.now() - from) / 1000).toFixed(0);
  report.row(
    `${documents} documents, 5 indexes, ${restarts + 1} restarts and kills`,
    'all there',
    `${faults.join(', ') || 'all'}, ${seconds} s`,
    !faults.length,
  );

  const commands = {
    'a count without an index': (messages) => messages.countDocuments({ request: 'nothing' }),
    'a sort without an index': (messages) =>
      messages
        .find({ n: { $lt: 50_000 } })
        .sort({ request: 1 })
        .limit(5)
        .toArray(),
    'building an index': (messages) => messages.createIndex({ request: 1, _id: 1 }),
    'an update of a tenth': (messages) => messages.updateMany({ project_id: 'p1' }, { $set: { seen: true } }),
    'removing a tenth': (messages) => messages.deleteMany({ project_id: 'p2' }),
    'dropping an index': (messages) => messages.dropIndex('request_1__id_1'),
  };
  for (const [what, work] of Object.entries(commands)) {
    const started = performance.now();
    const [, longest] = await besides(server, work);
    const took = Math.round(performance.now() - started);
    report.row(
      `The longest wait of another client beside ${what}`,
      `< ${wait} ms`,
      `${longest()} ms, it took ${took} ms`,
      longest() < wait,
    );
  }
  const ended = await server.close('SIGTERM');
  report.row(`The store in a heap of ${heap} MiB`, 'ends when told to', `exit ${ended}`, ended === 0);
  const broken = await check(path);
  report.row('Indexes and documents after that', 'of each other', broken.join(', ') || 'yes', broken.length === 0);
}

/** A small file system of its own, if mounting is allowed. */
function mount(path) {
  mkdirSync(path);
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${file}m`, 'tmpfs', path], { stdio: 'ignore' });
  if (status !== 0) return false;
  process.prependListener('exit', () => spawnSync('umount', ['--lazy', path]));
  return true;
}

/** Writes until the disk is full, and checks what still works. Leaves the server running. */
async function fill(path, options) {
  const server = await open(path, options);
  const { messages } = server;
  await messages.createIndexes(indexes);
  const acknowledged = new Set();
  const text = 'x'.repeat(4000);
  /** @type {any} */
  let refused;
  for (let i = 0; !refused; i++) {
    const _id = `m${i}`;
    await messages.insertOne({ _id, n: i, text, user_id: `u${i % 4}` }).then(
      () => acknowledged.add(_id),
      (error) => (refused = error),
    );
  }
  report.row(
    'A write on a full disk',
    `error ${OUT_OF_DISK_SPACE}`,
    `error ${refused.code} after ${acknowledged.size}`,
    refused.code === OUT_OF_DISK_SPACE,
  );
  return { server, messages, acknowledged };
}

/** Many clients write at once, and one removes what was written last. @returns what they did not expect */
async function crowd(messages, acknowledged, length = 4000) {
  const unexpected = [];
  const expectFull = (error) => {
    if (error.code !== OUT_OF_DISK_SPACE) unexpected.push(error.message);
  };
  for (let round = 0; round < 20; round++) {
    const last = [...acknowledged].at(-1);
    const removed = messages.deleteOne({ _id: last }).then(({ deletedCount }) => {
      acknowledged.delete(last);
      if (deletedCount !== 1) unexpected.push(`${last} was there no more`);
    }, expectFull);
    const written = Array.from({ length: 20 }, (_, i) => {
      const _id = `${length}-${round}-${i}`;
      const document = { _id, n: 1000 * length + 20 * round + i, text: 'x'.repeat(length), user_id: `u${i % 4}` };
      return messages.insertOne(document).then(() => acknowledged.add(_id), expectFull);
    });
    await Promise.all([removed, ...written]);
    // Longer than the store refuses without trying.
    await delay(120);
  }
  return unexpected;
}

async function full(path) {
  const mounted = mount(path);
  const options = { quiet: true, ...(!mounted && { limit: file }) };
  let { server, messages, acknowledged } = await fill(path, options);
  const lost = async () => {
    const found = new Set((await messages.find({}, { projection: { _id: 1 } }).toArray()).map(({ _id }) => _id));
    return [...acknowledged].filter((id) => !found.has(id)).length;
  };
  const missing = await lost();
  report.row('Acknowledged writes that a full disk hides', 'none', missing, missing === 0);
  await server.close('SIGKILL');
  server = await open(path, options);
  messages = server.messages;
  const after = await lost();
  report.row('The same after kill -9 and a start on the full disk', 'none', after, after === 0);
  const unexpected = await crowd(messages, acknowledged);
  report.row(
    'What many clients do not expect of the full disk',
    'nothing',
    unexpected[0] ?? 'nothing',
    !unexpected.length,
  );
  const [gone, stored] = [await lost(), await messages.countDocuments()];
  const difference = gone + Math.abs(stored - acknowledged.size);
  report.row('Stored without acknowledgement, or the reverse', 'none', difference, difference === 0);
  // The store keeps a reserve for this, which does not help against a limit on file size.
  const erased = await messages.deleteMany({ user_id: { $in: ['u0', 'u1'] } }).catch((error) => error);
  const possible = mounted ? 'possible' : 'for information';
  report.row('Erasing on a full disk', possible, erased.message ?? erased.deletedCount, !mounted || !erased.code);
  await delay(300);
  const room = await messages.insertOne({ _id: 'room', n: -1, text: 'x'.repeat(4000) }).catch((error) => error);
  report.row('Writing into the room that this made', possible, room.message ?? 'yes', !mounted || !room.code);
  const more = await crowd(messages, new Set(['room']), 20_000);
  report.row('What they do not expect after that, of long documents', 'nothing', more[0] ?? 'nothing', !more.length);
  // What it then writes into its message is longer than the place for it.
  const found = /Write error|mdb_page_spill/.exec(server.output.err)?.[0] ?? 'nothing';
  report.row('What LMDB found full by itself', 'nothing', found, found === 'nothing');
  await server.close('SIGTERM');
  const faults = await check(path);
  report.row(
    'Indexes and documents on the full disk',
    'of each other',
    faults.join(', ') || 'yes',
    faults.length === 0,
  );
}

await load(join(directory, 'load'));
if (process.platform !== 'win32') await full(join(directory, 'full'));
report.end();
