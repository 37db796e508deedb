/**
 * kill -9 of the service, and with it of its embedded store, under clients that write turns and repeat each with its
 * Idempotency-Key until it is acknowledged. Afterwards everything is read back: each acknowledged message has to be
 * there, once, in its place, and no other.
 *
 *   npm run verify:kill -- [--rounds 50] [--writes 100000] [--clients 32] [--seed N]
 *
 * A write is a message; a turn is two. In every fifth round the next process is killed as well, while it starts.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { check } from '../../test/embedded-mongo/check.mjs';
import { random } from '../../test/embedded-mongo/generate.mjs';
import { ask, directory, freePort, keepAlive, launchService, Report } from './harness.mjs';

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

const report = new Report(`npm run verify:kill -- --seed ${seed}`);
const port = await freePort();
const agent = keepAlive(clients);
const faults = [];
/** Messages whose turn was answered 201, and requests that had to be repeated. */
let acknowledged = 0;
let repeated = 0;

const start = () => launchService({ PORT: String(port), LOG_LEVEL: 'warn' });
let service = start();
await service.ready;

/** The same request until it has an answer other than a 503. */
async function insist(path, request) {
  for (;;) {
    const answer = await ask(port, path, { ...request, agent });
    if (answer.status !== 0 && answer.status !== 503) return answer;
    repeated++;
    await sleep(100);
  }
}

const users = Array.from({ length: clients }, (_, n) => ({ user_id: `writer-${n}`, turns: [] }));

async function write(user) {
  const { user_id, turns } = user;
  user.token = (await insist('/jwt', { method: 'POST', body: { user_id } })).body.jwt;
  while (acknowledged < target && faults.length === 0) {
    const words = `turn ${turns.length} of ${user_id}`;
    const { status, body } = await insist('/chat', {
      method: 'POST',
      token: user.token,
      headers: { 'idempotency-key': words.replaceAll(' ', '-') },
      body: { avatar_id: 'ada', request: words },
    });
    if (status !== 201) {
      faults.push(`${words}: ${status} ${body.error}`);
      return;
    }
    turns.push({ words, ...body });
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
    await service.ready;
  }
  return kills;
}

/** A user's messages as the service has them, oldest first. */
async function history({ user_id, token }) {
  const messages = [];
  for (let before = ''; ;) {
    const { body } = await insist(`/chat?user_id=${user_id}&per_page=1000${before}`, { token });
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
for (const fault of faults.slice(0, 20)) console.log(fault);
report.row(
  `kill -9 of the service and its store under ${clients} writing clients that retry`,
  `${rounds} rounds, ${target} acknowledged, 0 lost, 0 duplicated`,
  `${kills} kills in ${rounds} rounds, ${acknowledged} acknowledged in ${seconds} s, ${repeated} requests repeated: ${lost} lost, ${duplicated} duplicated`,
  acknowledged >= target && lost + duplicated + faults.length === 0,
);
report.end();
