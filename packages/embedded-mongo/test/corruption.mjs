/**
 * Damages the file in many ways and reads everything back in a separate process. A correct reply, an error, a refusal to start
 * and a crash are all acceptable. Wrong data is counted.
 *
 *   node packages/embedded-mongo/test/corruption.mjs [--rounds 100] [--seed N]
 */
import { copyFileSync, mkdtempSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { mongo } from 'mongoose';
import { DATABASE, printed, run } from '../../../test/support/processes.mjs';
import { createEmbeddedMongo } from '../dist/index.js';
import { random } from './generate.mjs';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '100' }, seed: { type: 'string' } } });
const seed = Number(values.seed ?? Math.floor(Math.random() * 1e9));
const { below, pick } = random(seed);
const home = mkdtempSync(join(tmpdir(), 'embedded-corruption-'));
const COUNT = 2000;
const doc = (i) => ({ _id: `m${i}`, user: `u${i % 20}`, n: i, text: `text ${i} `.repeat(40) });

const whole = join(home, 'whole');
const server = await createEmbeddedMongo({ path: whole });
const client = await new mongo.MongoClient(server.uri).connect();
await client.db('c').collection('m').createIndex({ user: 1, n: -1 });
await client
  .db('c')
  .collection('m')
  .insertMany(Array.from({ length: COUNT }, (_, i) => /** @type {any} */ (doc(i))));
await client.close();
await server.close();
const original = readFileSync(join(whole, 'embedded-mongo.mdb'));

const damages = {
  'one byte': (bytes) => (bytes[below(bytes.length)] ^= 1 + below(255)),
  'ten bytes': (bytes) => {
    for (let i = 0; i < 10; i++) bytes[below(bytes.length)] ^= 1 + below(255);
  },
  'a page of noise': (bytes) => {
    const from = below(bytes.length / 4096) * 4096;
    for (let i = from; i < from + 4096; i++) bytes[i] = below(256);
  },
  'a page of nothing': (bytes) => bytes.fill(0, ...((from) => [from, from + 4096])(below(bytes.length / 4096) * 4096)),
  'the header': (bytes) => (bytes[below(160)] ^= 1 + below(255)),
};

/** What a separate process does with the directory. */
async function outcome(path) {
  const server = run(DATABASE, ['--path', path]);
  const [uri] = await printed(server, /mongodb:\/\/\S+/).catch(() => []);
  if (!uri) {
    const ended = await server.stop('SIGKILL');
    return /cannot start/.test(server.output.err) ? 'refused to start' : `crashed at startup (${ended})`;
  }
  const found = [];
  let failed;
  let reader;
  try {
    reader = await new mongo.MongoClient(uri, {
      serverSelectionTimeoutMS: 2000,
      socketTimeoutMS: 5000,
    }).connect();
    /** @type {mongo.Collection<any>} */
    const messages = reader.db('c').collection('m');
    const all = await messages.find({}, { sort: { $natural: 1 } }).toArray();
    if (all.length !== COUNT) found.push('documents of the collection');
    if (!all.every((one) => JSON.stringify(one) === JSON.stringify(doc(one.n))))
      found.push('the content of a document');
    for (let user = 0; user < 20; user++) {
      const some = await messages
        .find({ user: `u${user}` })
        .sort({ n: -1 })
        .toArray();
      if (some.length !== COUNT / 20 || !some.every((one, i) => one.n === COUNT - 20 + user - i * 20))
        found.push('documents by an index');
    }
    for (let i = 0; i < COUNT; i += 10)
      if ((await messages.findOne({ _id: `m${i}` }))?.n !== i) found.push('a document by _id');
  } catch (error) {
    failed = error;
  }
  await reader?.close();
  const ended = await server.stop('SIGTERM', 3000);
  if (failed instanceof mongo.MongoServerError) return 'answered an error';
  if (failed) return `crashed while it served (${ended})`;
  return found.length ? `WRONG: ${[...new Set(found)].join(', ')}` : 'nothing noticed, all replies correct';
}

const outcomes = new Map();
const started = Date.now();
for (let round = 0; round < Number(values.rounds); round++) {
  const kind = pick(Object.keys(damages));
  const path = join(home, `r${round}`);
  mkdirSync(path);
  const bytes = Buffer.from(original);
  damages[kind](bytes);
  writeFileSync(join(path, 'embedded-mongo.mdb'), bytes);
  const result = `${kind}: ${await outcome(path)}`;
  outcomes.set(result, (outcomes.get(result) ?? 0) + 1);
  rmSync(path, { recursive: true });
}
const faults = [];
for (const part of [0.1, 0.5, 0.9]) {
  const path = join(home, 'cut');
  mkdirSync(path);
  const file = join(path, 'embedded-mongo.mdb');
  writeFileSync(file, original.subarray(0, Math.floor((original.length * part) / 512) * 512));
  const before = readFileSync(file);
  const result = await outcome(path);
  outcomes.set(`cut to ${part}: ${result}`, 1);
  if (!readFileSync(file).subarray(0, before.length).equals(before)) faults.push('a truncated file was changed');
  rmSync(path, { recursive: true });
}
for (const [name, content] of Object.entries({
  text: Buffer.from('this is somebody else’s file\n'.repeat(500)),
  zeros: Buffer.alloc(8192),
})) {
  const path = join(home, name);
  mkdirSync(path);
  writeFileSync(join(path, 'embedded-mongo.mdb'), content);
  const result = await outcome(path);
  if (result !== 'refused to start') faults.push(`${name}: ${result}`);
  if (!readFileSync(join(path, 'embedded-mongo.mdb')).equals(content)) faults.push(`${name}: the file was changed`);
}
copyFileSync(join(whole, 'embedded-mongo.mdb'), join(home, 'copy'));
console.log(
  `seed ${seed}: ${values.rounds} mutations of a file of ${(statSync(join(home, 'copy')).size / 1e6).toFixed(1)} MB in ${((Date.now() - started) / 1000).toFixed(0)} s`,
);
for (const [result, count] of [...outcomes].sort()) console.log(`  ${String(count).padStart(4)} ${result}`);
for (const fault of faults) console.log(`FAULT ${fault}`);
rmSync(home, { recursive: true });
const wrong = [...outcomes.keys()].filter((result) => /WRONG.*content/.test(result));
process.exitCode = faults.length || wrong.length ? 1 : 0;
