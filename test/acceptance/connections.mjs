/**
 * The cost of connections, and whether useless ones are closed: 2,000 idle ones, 200 clients each that send their
 * headers or their body byte by byte, 5 that read nothing of a page of 14 MB, and more connections than are allowed.
 * Another client has to be served meanwhile.
 *
 *   npm run verify -- connections
 */
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask, directory, metric, Report, start, startDatabase, startService, tokenOf } from './harness.mjs';

const IDLE = 2000;
const SLOW = 200;
const DEAF = 5;
const MOST = 10_000;
const MIB = 1024 * 1024;

const report = new Report('npm run verify -- connections');
const database = await startDatabase();
const env = { MONGODB_URI: database.uri };
/** Finished responses to GET /chat: status and time. */
const pages = [];
const onLine = (line) => line.includes('"route":"/chat"') && pages.push(JSON.parse(line));
const service = await startService({ ...env, LOG_LEVEL: 'info' }, onLine);
const { port } = service;
const seconds = (ms) => (ms / 1000).toFixed(1);

/** A connection that sends this. Reports when it was opened and closed, and the response. */
const open = (text = '') =>
  new Promise((resolve) => {
    const connection = { socket: connect(port, '127.0.0.1'), told: '' };
    connection.ended = new Promise((ended) =>
      connection.socket.on('close', () => ended((connection.until = performance.now()))),
    );
    connection.socket.on('connect', () => {
      connection.since = performance.now();
      connection.socket.write(text);
      resolve(connection);
    });
    connection.socket.on('data', (chunk) => (connection.told += chunk));
    connection.socket.on('error', () => resolve(connection));
  });
const lasted = (connections) => connections.map(({ since, until }) => until - since).sort((a, b) => a - b);
/** As many at a time as the listen backlog holds. */
const many = async (count, text) => {
  const connections = [];
  while (connections.length < count) {
    const next = Array.from({ length: Math.min(100, count - connections.length) }, () => open(text));
    connections.push(...(await Promise.all(next)));
  }
  return connections;
};
const memory = () => metric(port, 'process_resident_memory_bytes');
/** The lowest reading of a few seconds, after garbage collection. */
const settledMemory = async () => {
  const seen = [];
  for (let n = 0; n < 5; n++) {
    seen.push(await memory());
    await sleep(500);
  }
  return Math.min(...seen);
};

const token = await tokenOf(port);
for (let n = 0; n < 100; n++) await ask(port, '/connection', { token });
const before = await settledMemory();
const GET = 'GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n';
const idle = await many(IDLE, GET);
while (idle.some(({ told }) => !told.endsWith('}'))) await sleep(50);
const cost = (await settledMemory()) - before;
report.row(
  `${IDLE} idle connections: memory`,
  '≤ 60 MiB',
  `${(cost / MIB).toFixed(1)} MiB, ${(cost / IDLE / 1024).toFixed(1)} KiB each`,
  cost <= 60 * MIB,
);

// The part of a page that fits into no buffer of the system.
const message = (n) => ({
  user_id: 'ann',
  direction: 'incoming',
  request: 'x'.repeat(8000),
  answer: 'x'.repeat(20_000),
  avatar_name: 'Ada',
  avatar_id: 'ada',
  date: n,
  chat_type: 'text',
  language_code: 'en',
});
const history = join(directory, 'history.jsonl');
writeFileSync(history, Array.from({ length: 500 }, (_, n) => JSON.stringify(message(n + 1))).join('\n'));
await (
  await start(process.execPath, ['dist/programs/cli.js', 'messages', 'import', history], env, /imported/)
).ended;
let served = 0;
const failed = [];
const times = [];
let over = false;
const other = (async () => {
  while (!over) {
    const answer = await ask(port, '/connection', { token });
    times.push(answer.ms);
    if (answer.status === 200) served++;
    else failed.push(answer.status || answer.error);
    await sleep(20);
  }
})();
const POST = 'POST /jwt HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{';
const [slowHeaders, slowBodies, silent] = [
  await many(SLOW, `${GET.slice(0, -2)}X-Slow: `),
  await many(SLOW, POST),
  await many(SLOW),
];
const drip = setInterval(() => {
  for (const { socket } of [...slowHeaders, ...slowBodies]) if (socket.writable) socket.write(' ');
}, 500);
for (const { what, connections, limit } of [
  { what: 'that send their headers byte by byte', connections: slowHeaders, limit: 12 },
  { what: 'that send nothing', connections: silent, limit: 12 },
  { what: 'that send their body byte by byte', connections: slowBodies, limit: 17 },
]) {
  await Promise.race([Promise.all(connections.map(({ ended }) => ended)), sleep(30_000)]);
  const ends = lasted(connections);
  const answered = connections.filter(({ told }) => /^HTTP\/1.1 408 .*"error":"request_timeout"/s.test(told)).length;
  report.row(
    `${SLOW} clients ${what}: cut after`,
    `≤ ${limit} s, with 408 request_timeout`,
    `${seconds(ends[0])} to ${seconds(ends.at(-1))} s, ${answered} with 408`,
    ends.at(-1) <= limit * 1000 && answered === SLOW,
  );
}
clearInterval(drip);

const deaf = [];
// On a busy machine such a page may get a 503 immediately, so retry until enough are held.
for (let n = 0; n < DEAF * 5 && deaf.length - pages.length < DEAF; n++) {
  const one = await open();
  one.socket.pause();
  one.socket.write(`GET /chat?user_id=ann&per_page=500 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`);
  deaf.push(one);
  await sleep(2000);
}
let most = 0;
for (let n = 0; n < 90 && pages.length < deaf.length; n++) {
  most = Math.max(most, await memory());
  await sleep(1000);
}
const cut = pages
  .filter(({ status }) => status === 200)
  .map(({ ms }) => ms)
  .sort((x, y) => x - y);
report.row(
  `${DEAF} clients that read nothing of a page of 14 MB: cut after`,
  '≤ 65 s: 30 s without a byte, seen at the second look at the latest',
  `${seconds(cut[0] ?? NaN)} to ${seconds(cut.at(-1) ?? NaN)} s; at most ${Math.round(most / MIB)} MiB resident`,
  cut.length >= DEAF && cut[0] >= 30_000 && cut.at(-1) <= 65_000,
);
for (const { socket } of deaf) socket.destroy();

await Promise.race([Promise.all(idle.map(({ ended }) => ended)), sleep(90_000)]);
const kept = lasted(idle);
report.row(
  'An idle connection is kept for',
  '72 to 75 s',
  `${seconds(kept[0])} to ${seconds(kept.at(-1))} s`,
  kept[0] >= 71_500 && kept.at(-1) <= 75_000 + 5000,
);
over = true;
await other;
times.sort((a, b) => a - b);
report.row(
  'Requests of another client all the while',
  '0 failed',
  `${failed.length} of ${served + failed.length} failed; median ${times[Math.floor(times.length / 2)].toFixed(1)} ms, 99th percentile ${times[Math.floor(times.length * 0.99)].toFixed(0)} ms`,
  failed.length === 0,
);
if (failed.length > 0) console.log(failed);

const crowd = await many(MOST + SLOW, GET);
await sleep(1000);
const dropped = crowd.filter(({ told }) => told === '').length;
report.row(
  `${MOST + SLOW} connections at a time: turned away`,
  `${SLOW}, those beyond ${MOST}`,
  `${dropped}`,
  Math.abs(dropped - SLOW) <= 5,
);
for (const { socket } of crowd) socket.destroy();
report.end();
