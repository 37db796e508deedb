/**
 * Measures the cost of the store: the figures in its README.
 *
 *   node packages/embedded-mongo/test/figures.mjs [--messages 1000000] [--path DIR]
 */
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { mongo } from 'mongoose';
import { startDatabase } from '../../../test/support/processes.mjs';

const { values } = parseArgs({
  options: { messages: { type: 'string', default: '1000000' }, path: { type: 'string' } },
});
const total = Number(values.messages);
const path = values.path ?? mkdtempSync(join(tmpdir(), 'embedded-figures-'));
const server = await startDatabase(path);
const client = await new mongo.MongoClient(server.uri, { maxPoolSize: 16 }).connect();
const messages = client.db('figures').collection('messages');
const USERS = 1000;
const hex = (n) => n.toString(16).padStart(24, '0');
const message = (i) => ({
  _id: hex(i),
  project_id: 'default',
  user_id: `user-${i % USERS}`,
  type: i % 2 ? 'incoming' : 'outgoing',
  date: new Date(1.7e12 + i * 1000),
  avatar_id: 'ada',
  avatar_name: 'Ada',
  chat_type: 'text',
  language_code: 'en',
  session: 'c2Vzc2lvbi1zZXNzaW9uLXNl',
  request: 'How do I get from the station to the museum, and is it open today? '.repeat(1 + (i % 3)),
  answer: 'It is a walk of ten minutes. '.repeat(i % 7),
  __v: 0,
});
const memory = () => {
  try {
    const status = readFileSync(`/proc/${server.pid}/status`, 'utf8');
    const of = (name) => Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024);
    return `${of('VmRSS')} MiB resident (at most ${of('VmHWM')}), of them ${of('RssAnon')} MiB its own and ${of('RssFile')} MiB pages of files`;
  } catch {
    return 'unknown';
  }
};
const rate = (n, from) => Math.round(n / ((performance.now() - from) / 1000));
const line = (what, value) => console.log(`${what.padEnd(60)} ${value}`);

await messages.createIndex({ project_id: 1, user_id: 1, date: -1, _id: -1 });
let from = performance.now();
const BATCH = 1000;
for (let i = 0; i < total; i += BATCH)
  await messages.insertMany(
    Array.from({ length: BATCH }, (_, j) => message(i + j)),
    { ordered: true },
  );
line(`insert of ${total} in batches of ${BATCH}, one connection`, `${rate(total, from)}/s`);
line('memory after it', memory());

let next = total;
from = performance.now();
const until = from + 5000;
await Promise.all(
  Array.from({ length: 16 }, async () => {
    while (performance.now() < until) await messages.insertOne(message(next++));
  }),
);
line('insert of one, acknowledged and durable, 16 connections', `${rate(next - total, from)}/s`);

async function timed(what, n, run) {
  const times = [];
  for (let i = 0; i < n; i++) {
    const start = performance.now();
    await run(i);
    times.push(performance.now() - start);
  }
  times.sort((a, b) => a - b);
  line(
    what,
    `${(times[n >> 1] * 1000).toFixed(0)} µs median, ${(times[Math.floor(n * 0.95)] * 1000).toFixed(0)} µs 95th`,
  );
}
const of = (i) => ({ project_id: 'default', user_id: `user-${(i * 37) % USERS}` });
/** @type {{ date: -1, _id: -1 }} */
const newest = { date: -1, _id: -1 };
const page = (i, skip = 0) =>
  messages.find(of(i), { promoteValues: false, raw: true }).sort(newest).skip(skip).limit(101).toArray();
await timed('ping, the way there and back', 500, () => client.db('figures').command({ ping: 1 }));
await timed('page of 100, newest, seen by the client', 500, (i) => page(i));
await timed('page of 100 after 800', 500, (i) => page(i, 800));
const anchor = total - USERS * 100;
await timed('page of 100 before a message', 500, (i) => {
  const n = anchor - (anchor % USERS) + ((i * 37) % USERS);
  const { _id, date } = message(n);
  return messages
    .find({ ...of(i), $or: [{ date: { $lt: date } }, { date, _id: { $lt: _id } }] })
    .sort(newest)
    .limit(101)
    .toArray();
});
await timed('one by _id', 500, (i) => messages.findOne({ _id: hex((i * 991) % total) }));
await timed('one updated by _id, durable', 500, (i) =>
  messages.updateOne({ _id: hex((i * 991) % total) }, { $set: { answer: 'changed' } }),
);
await timed('count of a user', 100, (i) => messages.countDocuments(of(i)));
line('memory at the end', memory());
await new Promise((resolve) => setTimeout(resolve, 2500));
line('memory a moment later', memory());
line(
  'data on disk',
  `${(statSync(join(path, 'embedded-mongo.mdb')).size / 2 ** 30).toFixed(2)} GiB for ${next} messages`,
);
await client.close();
await server.stop();
if (!values.path) rmSync(path, { recursive: true });
