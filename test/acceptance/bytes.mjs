/**
 * How much memory slow clients make the service hold: clients that read nothing, of pages of 16 MiB, recordings, exports and
 * streamed answers, and uploads that trickle. Resident memory has to stay within a budget above its value at rest, and other
 * clients have to be served meanwhile.
 *
 *   npm run verify -- bytes [--only pages,users,files,exports,streams,uploads] [--clients 40] [--seconds 10] [--budget 250]
 *     [--embedded]
 *
 * --clients is per kind, --seconds the duration of each, --budget in MiB; --embedded runs the store in the service's process, too.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from '../../scripts/arguments.mjs';
import { ask, directory, Report, start, startDatabase, startService, tokenOf } from './harness.mjs';

const MIB = 1024 * 1024;
const { values } = parseArgs({
  options: {
    only: { type: 'string', default: 'pages,users,files,exports,streams,uploads' },
    clients: { type: 'string', default: '40' },
    seconds: { type: 'string', default: '10' },
    budget: { type: 'string', default: '250' },
    embedded: { type: 'boolean', default: false },
  },
});
const clients = Number(values.clients);
const budget = Number(values.budget);
const only = values.only.split(',');
const users = Array.from({ length: 8 }, (_, n) => `user-${n}`);

const report = new Report('npm run verify -- bytes');
const database = values.embedded ? undefined : await startDatabase();
const ADMIN_KEY = randomBytes(32).toString('hex');
const env = { MONGODB_URI: database?.uri ?? `embedded:${join(directory, 'store')}`, ADMIN_KEY };
const service = await startService(env);
const { port } = service;
const resident = () => Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))?.[1]) / 1024;

const message = (user_id, n, size) => ({
  user_id,
  direction: 'incoming',
  request: 'x'.repeat(100),
  answer: 'x'.repeat(size),
  avatar_name: 'Ada',
  avatar_id: 'ada',
  date: n + 1,
  chat_type: 'text',
  language_code: 'en',
});
const history = join(directory, 'history.jsonl');
const lines = [
  ...Array.from({ length: 165 }, (_, n) => message('ann', n, 100_000)),
  // The newest are small, so that a page of them does not involve the others.
  ...Array.from({ length: 3 }, (_, n) => message('ann', 1000 + n, 100)),
  ...users.flatMap((user) => Array.from({ length: 500 }, (_, n) => message(user, n, 16_000))),
];
writeFileSync(history, lines.map((line) => JSON.stringify(line)).join('\n'));
await (
  await start(
    process.execPath,
    ['dist/programs/cli.js', 'messages', 'import', history],
    { ...env, DATA_DIR: directory },
    /imported/,
  )
).ended;

const token = await tokenOf(port);
const tokens = Object.fromEntries(await Promise.all(users.map(async (user) => [user, await tokenOf(port, user)])));
const bearer = (of) => `Authorization: Bearer ${of}\r\n`;
const get = (path, headers) => `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;

/** A recording of almost 10 MiB, and its path. */
async function aRecording() {
  const wav = Buffer.alloc(10 * MIB - 4096);
  wav.write('RIFF\0\0\0\0WAVEfmt ');
  const form = new FormData();
  form.set('avatar_id', 'ada');
  form.set('request', 'Listen');
  form.set('file', new Blob([wav], { type: 'audio/wav' }), 'a.wav');
  const answer = await fetch(`http://127.0.0.1:${port}/chat`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: form,
  });
  const { outgoing } = /** @type {any} */ (await answer.json());
  const { pathname, search } = new URL(outgoing.fileUrl);
  return pathname + search;
}

const boundary = 'a-boundary';
const uploadHead = `POST /chat HTTP/1.1\r\nHost: x\r\n${bearer(token)}Content-Type: multipart/form-data; boundary=${boundary}\r\nContent-Length: ${9 * MIB}\r\n\r\n--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\nRIFF\0\0\0\0WAVEfmt `;
const body = JSON.stringify({ avatar_id: 'ada', request: 'How far away is the moon?' });
/** @type {Record<string, [string, (n: number, path: string) => string]>} */
const KINDS = {
  pages: [
    'of one user that read nothing of a page of 16 MB',
    () => get('/chat?user_id=ann&per_page=165', bearer(token)),
  ],
  users: [
    'of eight users that read nothing of pages of 8 MB',
    (n) => get(`/chat?user_id=${users[n % 8]}&per_page=500`, bearer(tokens[users[n % 8]])),
  ],
  files: ['that read nothing of a recording of 10 MiB', (_n, path) => get(path, '')],
  exports: [
    'that read nothing of an export',
    () => get('/admin/messages?project_id=default&user_id=ann', bearer(ADMIN_KEY)),
  ],
  streams: [
    'that read nothing of a streamed answer',
    () =>
      `POST /chat HTTP/1.1\r\nHost: x\r\n${bearer(token)}Accept: text/event-stream\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  ],
  uploads: ['that send a recording byte by byte', () => uploadHead + 'x'.repeat(MIB)],
};

/** The lowest of several readings, after garbage collection. */
async function settled() {
  const seen = [];
  for (let n = 0; n < 5; n++) {
    seen.push(resident());
    await sleep(400);
  }
  return Math.min(...seen);
}

const path = only.includes('files') ? await aRecording() : '';
for (let n = 0; n < 100; n++) await ask(port, '/connection', { token });
await ask(port, '/chat?user_id=ann&per_page=1', { token });
const rest = await settled();
for (const [kind, [what, request]] of Object.entries(KINDS)) {
  if (!only.includes(kind)) continue;
  const statuses = {};
  const sockets = [];
  for (let n = 0; n < clients; n++) {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(request(n, path));
    // Read only the status, so that the rest stays in the service.
    socket.once('readable', () => {
      const status = String(socket.read(12) ?? '').slice(9) || 'cut off';
      statuses[status] = (statuses[status] ?? 0) + 1;
    });
    sockets.push(socket);
    // At the rate that a process accepts. All at once, most would be rejected.
    await sleep(50);
  }
  const drip = setInterval(() => {
    if (kind === 'uploads') for (const socket of sockets) if (socket.writable) socket.write('x');
  }, 200);
  let most = 0;
  const failed = [];
  const until = performance.now() + Number(values.seconds) * 1000;
  while (performance.now() < until) {
    most = Math.max(most, resident());
    const { status, error } = await ask(port, '/jwt', { method: 'POST', body: { user_id: 'bob' } });
    if (status !== 200) failed.push(status || error);
    await sleep(50);
  }
  clearInterval(drip);
  for (const socket of sockets) socket.destroy();
  const answers = Object.entries(statuses).map(([status, count]) => `${count} × ${status}`);
  report.row(
    `${clients} clients ${what}: memory above rest, others served`,
    `≤ ${budget} MiB, 0 failed`,
    `${Math.round(most - rest)} MiB (${answers.join(', ') || 'no answer'}), ${failed.length} failed; afterwards ${Math.round((await settled()) - rest)} MiB`,
    most - rest <= budget && failed.length === 0,
  );
}
report.end();
