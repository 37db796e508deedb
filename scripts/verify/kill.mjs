/**
 * kill -9 of the service, and with it of its embedded store, under clients that write turns and repeat each with its
 * Idempotency-Key until it is acknowledged. Afterwards everything is read back: each acknowledged message has to be
 * there, once, in its place, and no other.
 *
 *   npm run verify:kill -- [--rounds 50] [--writes 100000] [--clients 32] [--seed N]
 *
 * A write is a message; a turn is two. In every fifth round the next process is killed as well, while it starts.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { check } from '../../test/embedded-mongo/check.mjs';
import { random } from '../../test/embedded-mongo/generate.mjs';
import { freePort, spawnService } from './service.mjs';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '50' },
    writes: { type: 'string', default: '100000' },
    clients: { type: 'string', default: '32' },
    seed: { type: 'string' },
  },
});
const [rounds, target, clients] = [values.rounds, values.writes, values.clients].map(Number);
const seed = Number(values.seed ?? Math.floor(Math.random() * 1e9));
const { below } = random(seed);

const directory = mkdtempSync(join(tmpdir(), 'verify-kill-'));
const port = await freePort();
const agent = new Agent({ keepAlive: true, maxSockets: clients });
const faults = [];
/** Messages whose turn was answered 201, and requests that had to be repeated. */
let acknowledged = 0;
let repeated = 0;

const start = () => spawnService({ PORT: String(port), DATA_DIR: directory });
let service = start();
await service.listening;

/** One request; undefined where the service went away before it had answered. */
function ask(method, path, headers = {}, body = undefined) {
  return new Promise((resolve) => {
    const asked = request({ host: '127.0.0.1', port, method, path, headers, agent }, async (answer) => {
      try {
        let text = '';
        for await (const chunk of answer) text += chunk;
        resolve({ status: answer.statusCode, body: JSON.parse(text) });
      } catch {
        resolve(undefined);
      }
    });
    asked.on('error', () => resolve(undefined));
    asked.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** The same request until it is answered with something other than a 503. */
async function insist(...what) {
  for (;;) {
    const answer = await ask(...what);
    if (answer && answer.status !== 503) return answer;
    repeated++;
    await sleep(100);
  }
}

const json = { 'content-type': 'application/json' };
const users = Array.from({ length: clients }, (_, n) => ({ user_id: `writer-${n}`, turns: [] }));

async function write(user) {
  const { user_id, turns } = user;
  const { body } = await insist('POST', '/jwt', json, { user_id });
  user.headers = { authorization: `Bearer ${body.jwt}` };
  while (acknowledged < target && faults.length === 0) {
    const words = `turn ${turns.length} of ${user_id}`;
    const headers = { ...json, ...user.headers, 'idempotency-key': words.replaceAll(' ', '-') };
    const answer = await insist('POST', '/chat', headers, { avatar_id: 'ada', request: words });
    if (answer.status !== 201) {
      faults.push(`${words}: ${answer.status} ${answer.body.error}`);
      return;
    }
    turns.push({ words, ...answer.body });
    acknowledged += 2;
  }
}

async function killInRounds() {
  let kills = 0;
  for (let round = 1; round <= rounds; round++) {
    while (acknowledged < (target * (round - 0.5)) / rounds) {
      if (faults.length > 0) return kills;
      await sleep(5);
    }
    await sleep(below(50));
    await service.stop('SIGKILL');
    kills++;
    service = start();
    if (round % 5 === 0) {
      await sleep(below(1000));
      await service.stop('SIGKILL');
      kills++;
      service = start();
    }
    await service.listening;
  }
  return kills;
}

/** A user's messages as the service has them, oldest first. */
async function history({ user_id, headers }) {
  const messages = [];
  for (let before = ''; ;) {
    const { body } = await insist('GET', `/chat?user_id=${user_id}&per_page=1000${before}`, headers);
    messages.push(...body.payload);
    if (!body.has_more_messages) return messages.reverse();
    before = `&before=${messages.at(-1)._id}`;
  }
}

const started = Date.now();
const [kills] = await Promise.all([killInRounds(), ...users.map(write)]);
const seconds = ((Date.now() - started) / 1000).toFixed(0);

let lost = 0;
let duplicated = 0;
for (const user of users) {
  const found = await history(user);
  const sent = user.turns.flatMap(({ outgoing, incoming }) => [outgoing, incoming]);
  const ids = new Set(found.map(({ _id }) => _id));
  const missing = sent.filter(({ _id }) => !ids.has(_id));
  lost += missing.length;
  // Every turn was insisted upon, so what was not acknowledged in the end is there twice.
  duplicated += found.length - (sent.length - missing.length);
  const differs = sent.findIndex((message, n) => JSON.stringify(message) !== JSON.stringify(found[n]));
  if (differs >= 0) faults.push(`${user.user_id}: message ${differs} is not the one that was acknowledged`);
  for (const { words, outgoing, incoming } of user.turns)
    if (outgoing.request !== words || incoming.request !== words || !incoming.answer)
      faults.push(`${words}: was answered as "${outgoing.request}"`);
}
await service.stop();
agent.destroy();
for (const fault of await check(join(directory, 'database'))) faults.push(fault);
rmSync(directory, { recursive: true });

for (const fault of faults.slice(0, 20)) console.log(fault);
console.log(
  `seed ${seed}: ${rounds} rounds, ${kills} kills in ${seconds} s, ${acknowledged} writes acknowledged to ${clients} clients, ` +
    `${repeated} requests repeated; ${lost} lost, ${duplicated} duplicated, ${faults.length} other faults`,
);
process.exitCode = lost || duplicated || faults.length || acknowledged < target ? 1 : 0;
