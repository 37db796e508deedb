/**
 * What several processes cost the database that they share: commands at rest, the retention of many messages by three
 * processes and by one, and the start of a further process on a database with many messages and files, which has nothing
 * to sweep.
 *
 *   npm run verify -- cluster [--messages 20000] [--history 200000] [--files 10000] [--only retention,start]
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import mongoose from 'mongoose';
import { parseArgs } from '../../scripts/arguments.mjs';
import { ask, directory, Report, startDatabase, startService, untilReady } from './harness.mjs';

const { values } = parseArgs({
  options: {
    messages: { type: 'string', default: '20000' },
    history: { type: 'string', default: '200000' },
    files: { type: 'string', default: '10000' },
    only: { type: 'string', default: 'retention,start' },
  },
});
const [messages, history, files] = [values.messages, values.history, values.files].map(Number);
const PROCESSES = 3;
const BATCH = 5000;
const DAY = 86_400_000;
const RETENTION_DAYS = 30;
/** How long commands are counted, longer than background work may wait for its begin, and after what pause, in milliseconds. */
const WINDOW = 30_000;
const SETTLE = 15_000;
/** A start takes some commands more or fewer: index builds are repeated if the catalogue is still being filled. */
const NOISE = 10;

const { MongoClient, ObjectId } = mongoose.mongo;
const report = new Report('npm run verify -- cluster');
const catalogue = JSON.parse(readFileSync('catalogue/default.json', 'utf8'));
for (const project of catalogue.projects) project.settings = { ...project.settings, retentionDays: RETENTION_DAYS };
const catalogueFile = join(directory, 'cluster.json');
writeFileSync(catalogueFile, JSON.stringify(catalogue));

const server = await startDatabase(join(directory, 'cluster'));
const client = await new MongoClient(server.uri).connect();
const uriOf = (name) => `mongodb://127.0.0.1:${server.port}/${name}?directConnection=true`;

async function start(name) {
  const service = await startService({ MONGODB_URI: uriOf(name), CATALOGUE_FILE: catalogueFile });
  await untilReady(service.port);
  return service;
}
const startSeveral = async (name, count) => {
  const services = [];
  while (services.length < count) services.push(await start(name));
  return services;
};
const stopAll = (services) => Promise.all(services.map((service) => service.stop()));

/** Commands that processes have sent so far. */
async function commandsOf(services) {
  const texts = await Promise.all(services.map(async ({ port }) => (await ask(port, '/metrics')).text ?? ''));
  return texts
    .flatMap((text) => [...text.matchAll(/^mongodb_command_duration_seconds_count\{.*\} (\d+)$/gm)])
    .reduce((sum, [, count]) => sum + Number(count), 0);
}

/** Fills a database whose indexes exist. @param {number} age of the messages, in milliseconds */
async function fill(name, amount, age, withFiles = 0) {
  const db = client.db(name);
  const seconds = Math.floor((Date.now() - age) / 1000).toString(16);
  const ids = Array.from({ length: withFiles }, (_, n) => new ObjectId(seconds + n.toString(16).padStart(16, '0')));
  for (let from = 0; from < ids.length; from += BATCH) {
    const some = ids.slice(from, from + BATCH);
    const file = { length: 3, chunkSize: 261_120, metadata: { project_id: 'default', user_id: 'user-0' } };
    await db.collection('files.files').insertMany(some.map((_id) => ({ _id, uploadDate: new Date(), ...file })));
    await db
      .collection('files.chunks')
      .insertMany(some.map((files_id) => ({ files_id, n: 0, data: Buffer.from('abc') })));
  }
  for (let from = 0; from < amount; from += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, amount - from) }, (_, n) => ({
      _id: new ObjectId().toHexString(),
      project_id: 'default',
      user_id: `user-${(from + n) % 100}`,
      direction: 'outgoing',
      request: 'How far away is the moon?',
      avatar_id: 'ada',
      date: Date.now() - age + from + n,
      chat_type: 'text',
      language_code: 'en',
      ...(ids[from + n] && { file_id: ids[from + n].toHexString() }),
    }));
    await db.collection('messages').insertMany(/** @type {any[]} */ (batch));
  }
}

/** How many commands some processes take from their start on, until expired messages are removed, and for a while after. */
async function commandsFor(name, processes, expired) {
  await stopAll(await startSeveral(name, 1));
  await fill(name, expired, 2 * RETENTION_DAYS * DAY);
  // As if nothing had been swept for long.
  await client.db(name).collection('background').deleteMany({});
  const services = await startSeveral(name, processes);
  await sleep(WINDOW);
  const left = () => client.db(name).collection('messages').countDocuments({});
  while ((await left()) > 0) await sleep(1000);
  await sleep(SETTLE);
  const commands = await commandsOf(services);
  await stopAll(services);
  return commands;
}

async function checkRetention() {
  const cost = new Map();
  for (const processes of [1, PROCESSES]) {
    const without = await commandsFor(`empty${processes}`, processes, 0);
    const withThem = await commandsFor(`expired${processes}`, processes, messages);
    cost.set(processes, withThem - without);
    console.log(`${processes} processes: ${withThem} commands, ${without} without expired messages`);
  }
  const ratio = cost.get(PROCESSES) / cost.get(1);
  report.row(
    `Retention of ${messages} messages: commands of ${PROCESSES} processes against those of one`,
    '≤ 1.2 ×',
    `${cost.get(PROCESSES)} : ${cost.get(1)} = ${ratio.toFixed(2)} ×`,
    cost.get(1) > 0 && ratio <= 1.2,
  );
}

/** Commands of a further process from its start on, beside others that have swept. */
async function costOfAnother(name, amount, withFiles) {
  const services = await startSeveral(name, 1);
  await fill(name, amount, DAY * 2, withFiles);
  await stopAll(services);
  await client.db(name).collection('background').deleteMany({});
  const others = await startSeveral(name, PROCESSES);
  const isDone = async () => (await client.db(name).collection('background').findOne({}))?.done?.retention;
  while (!(await isDone())) await sleep(500);
  await sleep(SETTLE);
  const before = await commandsOf(others);
  await sleep(WINDOW);
  const resting = ((await commandsOf(others)) - before) / (WINDOW / 1000) / PROCESSES;
  const another = await start(name);
  await sleep(WINDOW);
  const commands = await commandsOf([another]);
  await stopAll([...others, another]);
  return { resting, commands };
}

async function checkStart() {
  const empty = await costOfAnother('small', 0, 0);
  const full = await costOfAnother('large', history, files);
  for (const { what, resting } of [
    { what: 'an empty database', ...empty },
    { what: `${history} messages and ${files} files`, ...full },
  ])
    report.row(
      `${PROCESSES} processes at rest without webhooks, ${what}: commands a second and process`,
      '≤ 2',
      resting.toFixed(2),
      resting <= 2,
    );
  report.row(
    `A further process on ${history} messages and ${files} files: commands in ${WINDOW / 1000} s from its start`,
    `those on an empty database, and at most ${NOISE} more`,
    `${full.commands} : ${empty.commands}`,
    full.commands <= empty.commands + NOISE,
  );
}

if (values.only.includes('retention')) await checkRetention();
if (values.only.includes('start')) await checkStart();
await client.close();
await server.stop();
report.end();
