/**
 * Codes of failovers from another database server, by its failpoints: each code once at each command of a turn, then for
 * some seconds at each kind of command. Every answer has to be a success, or 503 with Retry-After; repeated with its key,
 * every turn has to be stored once. Needs secantusdb from PyPI, or a mongod that was started with
 * `--setParameter enableTestCommands=1`, which MONGODB_URI names.
 *
 *   npm run verify -- failpoints [--seconds 3] [--only 11602,…]
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import mongoose from 'mongoose';
import { parseArgs } from '../../scripts/arguments.mjs';
import { historyOf } from './busy-clients.mjs';
import { obtain } from './deploy/tools.mjs';
import { ask, freePort, launch, Report, startService, tokenOf, untilReady } from './harness.mjs';

/** Failpoints cannot have 13388, which carries more than a code: the tests have it by a proxy. */
const CODES = [6, 7, 50, 64, 89, 91, 112, 133, 134, 189, 262, 9001, 10058, 10107, 11600, 11602, 13435, 13436];
/** Of writes that were done, but not replicated in time. */
const UNMET = [64, 91];
const COMMANDS = ['find', 'insert', 'update', 'delete', 'findAndModify', 'aggregate', 'count', 'distinct'];
const WRITES = ['insert', 'update', 'delete', 'findAndModify'];
const MOST_COMMANDS = 40;
/** How long a turn is repeated once the server answers again. */
const PATIENCE_MS = 60_000;
/** By this name the service connects. */
const APP = 'avatar-chat-service';

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '3' }, only: { type: 'string', default: CODES.join(',') } },
});
const codes = values.only.split(',').map(Number);
const report = new Report('npm run verify -- failpoints');
let given = process.env.MONGODB_URI;
if (!given) {
  const program = obtain('secantusd-py');
  if (!program) process.exit(0);
  const port = await freePort();
  const args = ['--port', String(port), '--storage-path', ':memory:', '--enable-test-commands', '--log-level', 'ERROR'];
  launch(program, args, { stderr: 'inherit', env: { HOME: process.env.HOME } });
  given = `mongodb://127.0.0.1:${port}/`;
}
const client = mongoose.createConnection(given, { serverSelectionTimeoutMS: 30_000 });
await client.asPromise();
const admin = client.getClient().db('admin');
/** @param {any} mode @param {object} [data] */
const fail = (mode, data = {}) =>
  admin.command({ configureFailPoint: 'failCommand', mode, data: { appName: APP, ...data } });

const [, hosts, options = ''] = /^(mongodb(?:\+srv)?:\/\/[^/?]+)(?:\/[^?]*)?(\?.*)?$/.exec(given) ?? [];
const database = `verify_failpoints_${randomBytes(6).toString('hex')}`;
const service = await startService({ MONGODB_URI: `${hosts}/${database}${options}`, LOG_LEVEL: 'error' });
await untilReady(service.port);
const user = { user_id: 'ann', token: await tokenOf(service.port, 'ann') };

/** How many commands there were, by name. */
async function commands() {
  const { text = '' } = await ask(service.port, '/metrics');
  const counts = text.matchAll(/^mongodb_command_duration_seconds_count\{command="(\w+)"\} (\d+)$/gm);
  return [...counts].map(([, name, count]) => /** @type {const} */ ([name, Number(count)]));
}
/** Has the failpoint's name, and sees its error, which the driver would repeat. */
const probe = mongoose.createConnection(given, { appName: APP, retryReads: false });
/** Whether a failpoint for the nth command and once has been met: else one of as many more commands meets it. */
async function wasMet(nth) {
  for (let n = 0; n <= nth; n++) {
    const [{ status }] = await Promise.allSettled([probe.collection('probe').findOne({})]);
    if (status === 'rejected') return false;
  }
  return true;
}

/** How long after the faults their turns were stored, in milliseconds. */
const recoveries = [];
const seen = { turns: 0, succeeded: 0, refused: 0, others: /** @type {string[]} */ ([]) };
/** @param {string} what @param {Partial<Record<'status' | 'headers' | 'body' | 'error', any>>} answer */
function note(what, { status, headers, body, error }) {
  if (status === 200 || status === 201) seen.succeeded++;
  else if (status === 503 && Number(headers['retry-after']) > 0) seen.refused++;
  else seen.others.push(`${what}: ${status} ${body?.error ?? error}`);
}
const turn = (key) => {
  const body = { avatar_id: 'ada', request: `Turn ${key}` };
  return ask(service.port, '/chat', {
    method: 'POST',
    token: user.token,
    headers: { 'idempotency-key': `k${key}` },
    body,
  });
};
/** Repeats a turn as a client does, while it is refused with Retry-After. @returns how long that took, in milliseconds */
async function insist(what, key) {
  const began = performance.now();
  for (;;) {
    const answer = await turn(key);
    const ms = performance.now() - began;
    if (answer.status === 201) return ms;
    note(what, answer);
    if (ms > PATIENCE_MS) {
      seen.others.push(`${what}: refused for ${PATIENCE_MS / 1000} s`);
      return ms;
    }
    await sleep(100);
  }
}
const keys = [];
const newKey = () => (keys.push(keys.length), keys.length - 1);

/** A turn during which the server fails as it is told, and its repetition. @returns whether it failed */
async function failOnce(what, nth, data) {
  const key = newKey();
  await fail({ skip: nth, times: 1 }, data);
  note(what, await turn(key));
  const met = await wasMet(nth);
  await fail('off');
  await untilReady(service.port);
  recoveries.push(await insist(`${what}, repeated`, key));
  seen.turns++;
  return met;
}

/** Every turn that was sent is stored once, with its answer. */
async function unlike() {
  const stored = (await historyOf(service.port, user)).map(({ direction, request }) => `${direction} ${request}`);
  const expected = keys.flatMap((key) => [`incoming Turn ${key}`, `outgoing Turn ${key}`]);
  const counted = new Map();
  for (const one of stored) counted.set(one, (counted.get(one) ?? 0) + 1);
  const twice = stored.length - counted.size;
  return expected.filter((one) => !counted.has(one)).length + twice;
}

function show(what) {
  const { turns, succeeded, refused, others } = seen;
  for (const one of others.slice(0, 10)) console.log(one);
  report.row(
    what,
    'success, or 503 with Retry-After',
    `${turns} faults: ${succeeded} successes, ${refused} times 503, ${others.length} others`,
    others.length === 0 && turns > 0,
  );
  Object.assign(seen, { turns: 0, succeeded: 0, refused: 0, others: [] });
}

// What a turn asks the database for.
for (let n = 0; n < 3; n++) await turn(newKey());
const before = new Map(await commands());
await turn(newKey());
const after = await commands();
const kinds = after.filter(([name, n]) => COMMANDS.includes(name) && n > (before.get(name) ?? 0)).map(([name]) => name);

let most = 0;
for (const errorCode of codes)
  for (let nth = 0, hits = true; hits && nth < MOST_COMMANDS; nth++) {
    hits = await failOnce(`${errorCode} at command ${nth}`, nth, { errorCode, failCommands: COMMANDS });
    if (hits) most = Math.max(most, nth + 1);
  }
report.row('Commands of a turn at which there was a fault', '≥ 5', most, most >= 5);
show(`${codes.length} codes, once, at each command of a turn`);

for (const code of UNMET)
  for (let nth = 0; nth < most; nth++)
    await failOnce(`write concern error ${code}, ${nth}`, nth, {
      failCommands: WRITES,
      writeConcernError: { code, errmsg: 'not replicated' },
    });
show(`Write concern errors ${UNMET.join(', ')} of writes that were done, at each write of a turn`);

for (const errorCode of codes)
  for (const kind of kinds) {
    const what = `${errorCode} at ${kind} for ${values.seconds} s`;
    const end = performance.now() + Number(values.seconds) * 1000;
    const key = newKey();
    await fail('alwaysOn', { errorCode, failCommands: [kind] });
    while (performance.now() < end) {
      note(what, await turn(key));
      note(`${what}, a read`, await ask(service.port, '/chat?user_id=ann', { token: user.token }));
      await sleep(100);
    }
    await fail('off');
    await untilReady(service.port);
    recoveries.push(await insist(`${what}, afterwards`, key));
    seen.turns++;
  }
show(`${codes.length} codes for ${values.seconds} s at ${kinds.join(', ')}: turns and reads`);

const slowest = (Math.max(...recoveries) / 1000).toFixed(1);
report.row('Once the server answers again, a turn is stored within', '–', `${slowest} s`);
const wrong = await unlike();
report.row('Turns that are not stored, or not once', '0', `${wrong} of ${keys.length}`, wrong === 0);
await service.stop();
await client.getClient().db(database).dropDatabase();
await Promise.all([client.close(), probe.close()]);
report.end();
