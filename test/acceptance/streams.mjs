/**
 * The cost of event streams: 2,000 users who follow their conversations, first without messages, then with 100 a second,
 * spread over them. Each has to arrive once, and only where it belongs. Then the process is killed, and all come back.
 *
 *   npm run verify -- streams
 */
import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask, keepAlive, metric, Report, startDatabase, startService, tokenOf } from './harness.mjs';

const STREAMS = 2000;
const IDLE_SECONDS = 20;
const PER_SECOND = 100;
const SECONDS = 20;
const MIB = 1024 * 1024;

const report = new Report('npm run verify -- streams');
const database = await startDatabase();
const key = randomBytes(24).toString('hex');
const env = { MONGODB_URI: database.uri, ADMIN_KEY: key, EVENT_STREAMS: String(STREAMS), RATE_LIMIT: 'off' };
const first = await startService(env);
const { port } = first;
const agent = keepAlive();

const cpu = () => metric(port, 'process_cpu_seconds_total');
/** The lowest reading of a few seconds, after garbage collection. */
const settledMemory = async () => {
  const seen = [];
  for (let n = 0; n < 8; n++) {
    seen.push(await metric(port, 'process_resident_memory_bytes'));
    await sleep(500);
  }
  return Math.min(...seen);
};
/** The share of a core that the service takes while something lasts. */
const shareOf = async (task) => {
  const [began, before] = [performance.now(), await cpu()];
  await task();
  return ((await cpu()) - before) / ((performance.now() - began) / 1000);
};
const percent = (share) => `${(100 * share).toFixed(1)} % of a core`;

/** Messages that were sent, and those that came, with whom; and how long they took, in milliseconds. */
const sent = new Map();
const came = [];
const delays = [];
const retries = [];
/** By user, after how many milliseconds the client comes back, and the last message that it has. */
const clients = new Map();

/** Follows a user's conversation. Resolves when the stream is open. */
const follow = (user, token) =>
  /** @type {Promise<void>} */ (
    new Promise((resolve, reject) => {
      const { last } = clients.get(user) ?? {};
      const headers = { authorization: `Bearer ${token}`, ...(last ? { 'last-event-id': last } : {}) };
      const call = request({ host: '127.0.0.1', port, path: '/chat/events', headers, agent: false }, (response) => {
        if (response.statusCode !== 200) return reject(new Error(`GET /chat/events answered ${response.statusCode}`));
        let text = '';
        response.setEncoding('utf8').on('data', (chunk) => {
          const blocks = (text + chunk).split('\n\n');
          text = blocks.pop() ?? '';
          for (const block of blocks) {
            const [, retry] = /^retry: (\d+)$/m.exec(block) ?? [];
            if (retry) {
              retries.push(Number(retry));
              clients.set(user, { retry: Number(retry), last });
            }
            if (!/^event: message$/m.test(block)) continue;
            clients.get(user).last = /^id: (.*)$/m.exec(block)?.[1];
            const { answer, date } = JSON.parse(/^data: (.*)$/m.exec(block)?.[1] ?? '');
            came.push({ user, answer });
            // The service's clock is this one.
            delays.push(Date.now() - date);
          }
        });
        response.on('error', () => undefined); // the process was killed
        resolve();
      });
      call.on('error', reject);
      call.end();
    })
  );

const users = Array.from({ length: STREAMS }, (_, n) => `user-${n}`);
const tokens = [];
while (tokens.length < STREAMS)
  tokens.push(
    ...(await Promise.all(users.slice(tokens.length, tokens.length + 50).map((user) => tokenOf(port, user)))),
  );
for (let n = 0; n < 100; n++) await ask(port, '/connection', { token: tokens[n], agent });

const before = await settledMemory();
for (let n = 0; n < STREAMS; n += 50)
  await Promise.all(users.slice(n, n + 50).map((user, at) => follow(user, tokens[n + at])));
const cost = (await settledMemory()) - before;
report.row(
  `${STREAMS} event streams: memory`,
  '≤ 40 MiB',
  `${(cost / MIB).toFixed(1)} MiB, ${(cost / STREAMS / 1024).toFixed(1)} KiB each`,
  cost <= 40 * MIB,
);
const idle = await shareOf(() => sleep(IDLE_SECONDS * 1000));
report.row('The same without messages', '≤ 5 % of a core', percent(idle), idle <= 0.05);

const refused = [];
const writing = [];
const times = [];
const busy = await shareOf(async () => {
  const began = performance.now();
  for (let n = 0; n < PER_SECOND * SECONDS; n++) {
    await sleep(Math.max(0, began + (1000 * n) / PER_SECOND - performance.now()));
    const user_id = users[(n * 7919) % STREAMS];
    const answer = `message ${n}`;
    sent.set(answer, user_id);
    const body = { project_id: 'default', user_id, avatar_id: 'ada', answer };
    const stored = ask(port, '/admin/messages', { method: 'POST', token: key, body, agent });
    writing.push(stored.then(({ status, ms }) => (status === 201 ? times.push(ms) : refused.push(status))));
  }
  await Promise.all(writing);
});
for (let n = 0; n < 50 && came.length < sent.size - refused.length; n++) await sleep(100);
/** Median and 99th percentile. */
const spread = (values) => {
  values.sort((a, b) => a - b);
  return [0.5, 0.99].map((share) => Math.round(values[Math.floor(values.length * share)] ?? NaN));
};
const [median, p99] = spread(delays);
const [written, slowest] = spread(times);
report.row(
  `${PER_SECOND} messages a second, spread over them: from their date to their arrival, in the same process`,
  '99th percentile ≤ 500 ms',
  `median ${median} ms, 99th percentile ${p99} ms; \`POST /admin/messages\` ${written} and ${slowest} ms; ${percent(busy)}`,
  p99 <= 500,
);
const wrong = came.filter(({ user, answer }) => sent.get(answer) !== user).length;
const lost = sent.size - refused.length - new Set(came.map(({ answer }) => answer)).size;
const twice = came.length - new Set(came.map(({ answer }) => answer)).size;
report.row(
  `The same: of ${sent.size} messages, refused, lost, twice, to somebody else`,
  '0, 0, 0, 0',
  [refused.length, lost, twice, wrong].join(', '),
  refused.length + lost + twice + wrong === 0,
);
retries.sort((a, b) => a - b);
report.row(
  'After a lost connection, clients come back spread over',
  '≥ 4 s',
  `${retries[0]} to ${retries.at(-1)} ms`,
  retries.length === STREAMS && retries.at(-1) - retries[0] >= 4000,
);

first.process.kill('SIGKILL');
await first.ended;
let ready = Infinity;
const again = startService({ ...env, PORT: String(port) }).then(() => (ready = performance.now()));
/** When each client was back. */
const back = [];
const comeBack = async (user, at) => {
  for (;;) {
    await sleep(clients.get(user).retry);
    try {
      await follow(user, tokens[at]);
      return back.push(performance.now());
    } catch {
      // Not yet: it tries again, as clients do.
    }
  }
};
await Promise.all([again, ...users.map(comeBack)]);
const perSecond = new Map();
for (const at of back) perSecond.set(Math.floor(at / 1000), (perSecond.get(Math.floor(at / 1000)) ?? 0) + 1);
const most = Math.max(...perSecond.values());
const last = (Math.max(...back) - ready) / 1000;
const known = came.length;
for (let n = 0; n < 50; n++) {
  const body = { project_id: 'default', user_id: users[n * 40], avatar_id: 'ada', answer: `back ${n}` };
  await ask(port, '/admin/messages', { method: 'POST', token: key, body, agent });
}
for (let n = 0; n < 50 && came.length < known + 50; n++) await sleep(100);
// What comes twice may come later.
await sleep(2000);
const news = came.slice(known).map(({ answer }) => answer);
report.row(
  `The process is killed: after another one is ready, the last of ${STREAMS} clients is back; the most in a second`,
  '≤ 7 s, and each message after it comes once',
  `${last.toFixed(1)} s; ${most}; ${new Set(news).size} of 50 came, ${news.length - new Set(news).size} twice`,
  last <= 7 && news.length === 50 && new Set(news).size === 50,
);
report.end();
