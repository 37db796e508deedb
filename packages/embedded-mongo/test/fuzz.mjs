/**
 * Sends damaged messages to the socket: truncated, oversized, too deep, bit-flipped, random. Each has to get a reply
 * or end its connection, while a well-behaved client keeps working.
 *
 *   node packages/embedded-mongo/test/fuzz.mjs [--messages 100000] [--seed N]
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { parseArgs } from 'node:util';
import { serialize } from 'bson';
import { mongo } from 'mongoose';
import { createEmbeddedMongo } from '../dist/index.js';
import { generator } from './generate.mjs';

const { values } = parseArgs({
  options: { messages: { type: 'string', default: '100000' }, seed: { type: 'string' } },
});
const seed = Number(values.seed ?? Math.floor(Math.random() * 1e9));
const wanted = Number(values.messages);
const g = generator(seed);

const server = await createEmbeddedMongo({ path: ':memory:' });
const socketPath = decodeURIComponent(new URL(server.uri).host);
const honest = await new mongo.MongoClient(server.uri).connect();
/** @type {mongo.Collection<any>} */
const things = honest.db('fuzz').collection('things');
await things.insertMany(Array.from({ length: 200 }, (_, i) => ({ _id: `t${i}`, n: i })));

const header = (length, opcode) => {
  const head = Buffer.alloc(16);
  head.writeInt32LE(length, 0);
  head.writeInt32LE(g.below(1e9), 4);
  head.writeInt32LE(opcode, 12);
  return head;
};
const opMsg = (sections, flags = 0, opcode = 2013) => {
  const rest = Buffer.concat([Buffer.alloc(4), ...sections]);
  rest.writeUInt32LE(flags, 0);
  return Buffer.concat([header(16 + rest.length, opcode), rest]);
};
const section = (doc) => Buffer.concat([Buffer.from([0]), serialize(doc, { ignoreUndefined: true })]);
const bytes = (n) => Buffer.from(Array.from({ length: n }, () => g.below(256)));
const nested = (depth, array) => {
  let inner = Buffer.from([5, 0, 0, 0, 0]);
  for (let i = 0; i < depth; i++) {
    const next = Buffer.alloc(inner.length + 8);
    next.writeInt32LE(next.length, 0);
    next[4] = array ? 4 : 3;
    next.write('0', 5);
    inner.copy(next, 7);
    inner = next;
  }
  return inner;
};
/** A hand-made `{NAME: 'x', FIELD: DEEP, $db: 'fuzz'}`. */
const deep = (name, field, depth) => {
  const parts = [
    Buffer.from(`\x02${name}\0\x02\0\0\0x\0`, 'latin1'),
    Buffer.from(`\x03${field}\0`, 'latin1'),
    nested(depth, g.chance(0.3)),
    Buffer.from('\x02$db\0\x05\0\0\0fuzz\0', 'latin1'),
  ];
  const body = Buffer.concat([Buffer.alloc(4), ...parts, Buffer.from([0])]);
  body.writeInt32LE(body.length, 0);
  return opMsg([Buffer.concat([Buffer.from([0]), body])]);
};

const command = () => {
  const one = g.command('fuzzed');
  if (g.chance(0.15))
    one[
      g.pick([
        'limit',
        'skip',
        'batchSize',
        'sort',
        'filter',
        'hint',
        'collation',
        'projection',
        'updates',
        'documents',
        'pipeline',
        'q',
        'maxTimeMS',
      ])
    ] = g.pick([
      -1,
      1e300,
      NaN,
      null,
      'x',
      [],
      {},
      { $: 1 },
      { a: { $where: 'x' } },
      true,
      { $slice: 'x' },
      [{}],
      [1],
      { '': 1 },
    ]);
  return { ...one, $db: g.chance(0.97) ? 'fuzz' : g.pick(['', 'a.b', 'a\u0000', 5, null, '$x']) };
};
const valid = () => {
  const one = command();
  if (!one.documents || !Array.isArray(one.documents) || g.chance(0.5)) return opMsg([section(one)]);
  const { documents, ...rest } = one;
  const list = Buffer.concat(documents.map((doc) => serialize(doc && typeof doc === 'object' ? doc : {})));
  const sequence = Buffer.concat([Buffer.from([1]), Buffer.alloc(4), Buffer.from('documents\0'), list]);
  sequence.writeInt32LE(sequence.length - 1, 1);
  return opMsg(g.chance(0.5) ? [section(rest), sequence] : [sequence, section(rest)]);
};
const flipped = () => {
  const message = valid();
  for (let i = 1 + g.below(4); i > 0; i--) message[16 + g.below(message.length - 16)] = g.below(256);
  return message;
};
const kinds = {
  valid,
  flipped,
  flippedAnywhere: () => {
    const message = valid();
    message[g.below(message.length)] ^= 1 << g.below(8);
    return message;
  },
  cut: () => {
    const message = valid();
    return message.subarray(0, g.below(message.length));
  },
  random: () => bytes(1 + g.below(200)),
  randomBody: () => opMsg([bytes(1 + g.below(100))], g.chance(0.5) ? 0 : g.below(65536)),
  randomDocument: () => {
    const body = bytes(5 + g.below(60));
    body.writeInt32LE(g.chance(0.8) ? body.length : g.below(1e6), 0);
    body[body.length - 1] = 0;
    return opMsg([Buffer.concat([Buffer.from([0]), body])]);
  },
  opcode: () =>
    opMsg(
      [section({ ping: 1, $db: 'fuzz' })],
      0,
      g.pick([0, 1, 2001, 2002, 2004, 2005, 2006, 2007, 2010, 2011, 2012, 9999]),
    ),
  oversized: () => header(g.pick([48_000_001, 0x7fffffff, -1, 0, 15]), 2013),
  deep: () =>
    deep(
      g.pick(['find', 'count', 'delete', 'nothing']),
      g.pick(['filter', 'query', 'projection']),
      g.pick([50, 100, 200, 1000]),
    ),
  unknown: () =>
    opMsg([section({ [g.pick(['explain', 'eval', '__proto__', 'constructor', 'toString', ''])]: 1, $db: 'fuzz' })]),
};

let sent = 0;
let answered = 0;
let ended = 0;
const faults = [];

/** Messages with a correct length: each gets its own reply, or ends the connection. */
const framed = ['valid', 'valid', 'flipped', 'flipped', 'randomBody', 'randomDocument', 'opcode', 'deep', 'unknown'];

/** One connection: sends until it is closed. */
async function attack() {
  const socket = connect(socketPath);
  await once(socket, 'connect');
  const careful = g.chance(0.8);
  let done = false;
  /** @type {(said?: unknown) => void} */
  let turn = () => undefined;
  const end = () => {
    done = true;
    turn();
  };
  socket.on('close', end);
  socket.on('error', end);
  socket.on('data', () => turn(true));
  for (let i = 0; i < 50 && !done && sent < wanted; i++) {
    const kind = g.pick(careful ? framed : Object.keys(kinds));
    const message = kinds[kind]();
    // A client that requests no reply gets none.
    if (careful && message.readUInt32LE(16) & 2) message.writeUInt32LE(0, 16);
    sent++;
    const next = new Promise((resolve) => {
      turn = resolve;
      if (careful) setTimeout(resolve, 20_000, 'nothing').unref();
    });
    socket.write(message);
    if (!careful) await new Promise((resolve) => setImmediate(resolve));
    else if (!done) {
      const answer = await next;
      if (answer === true) answered++;
      if (answer === 'nothing') faults.push(`no answer to ${kind}: ${message.toString('hex').slice(0, 400)}`);
    }
  }
  if (done) ended++;
  socket.destroy();
}

let honestTurns = 0;
let slowest = 0;
async function honestWork() {
  while (sent < wanted) {
    const n = honestTurns++ % 200;
    const start = performance.now();
    const doc = await things.findOne({ _id: `t${n}` });
    slowest = Math.max(slowest, performance.now() - start);
    if (doc?.n !== n) faults.push(`the honest client read ${JSON.stringify(doc)} for ${n}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

const started = Date.now();
const work = honestWork().catch((error) => faults.push(`the honest client failed: ${error.message}`));
await Promise.all(
  Array.from({ length: 8 }, async () => {
    while (sent < wanted) await attack();
  }),
);
await work;
if ((await things.countDocuments()) !== 200) faults.push('documents of the honest client are gone');
await honest.close();
await server.close();
for (const fault of faults.slice(0, 10)) console.log(fault);
console.log(
  `seed ${seed}: ${sent} messages in ${((Date.now() - started) / 1000).toFixed(0)} s, ${answered} answers, ${ended} connections ended by the server, ${honestTurns} turns of the honest client (slowest ${slowest.toFixed(0)} ms), ${faults.length} faults`,
);
process.exitCode = faults.length ? 1 : 0;
