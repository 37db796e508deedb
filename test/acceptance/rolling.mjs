/**
 * A rolling restart of three processes on one database behind a small round-robin load balancer, with SHUTDOWN_SECONDS=30,
 * while clients of all kinds go on: requests, answers that are streamed for longer than the default shutdown lasts,
 * followers of event streams, and live conversations. No request may fail, no answer may be cut, and no message be lost or
 * come twice. A live conversation ends with its process, between two answers, and goes on in a new session.
 *
 *   npm run verify -- rolling [--rounds 2] [--clients 6]
 */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from '../../scripts/arguments.mjs';
import { startBalancer } from './balancer.mjs';
import { faultsOfHistories, historyOf, isFailure, outcomes, startLoad } from './busy-clients.mjs';
import { freePort, Report, startDatabase, startService, tokenOf, untilReady } from './harness.mjs';
import { LiveClient } from './live/client.mjs';

execFileSync('npm', ['run', '--silent', 'build', '--workspace', 'packages/client'], { stdio: 'inherit' });
/** @type {typeof import('../../packages/client/src/index.js')} */
const { AvatarChat } = await import(new URL('../../packages/client/dist/index.js', import.meta.url).href);

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '2' }, clients: { type: 'string', default: '6' } },
});
const [rounds, clients] = [values.rounds, values.clients].map(Number);
const PROCESSES = 3;
const STREAMS = 4;
const TALKS = 2;
const SHUTDOWN_SECONDS = 30;
/** After the drain, a process has this long for its end. */
const END_SECONDS = 6;
const GOING_AWAY = 1001;
/** What a streamed answer consists of, and the pause between two words, in milliseconds. */
const WORDS = Array.from({ length: 40 }, (_, n) => (n > 0 ? ` word${n}` : 'Word'));
const ANSWER = WORDS.join('');
const PAUSE = 200;
/** How soon a live conversation is answered, and how soon a client tries again. */
const [LIVE_MS, AGAIN_MS] = [1500, 100];

const report = new Report('npm run verify -- rolling');

/** A model that streams {@link ANSWER} if it is told to, and a short answer otherwise. */
const model = createServer(async (incoming, outgoing) => {
  let body = '';
  for await (const chunk of incoming) body += chunk;
  const asked = JSON.parse(body).messages.at(-1).content;
  const isLong = asked.startsWith('Slowly');
  if (asked.startsWith('Live')) await sleep(LIVE_MS);
  outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const content of isLong ? WORDS : ['Yes.']) {
    outgoing.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`);
    if (isLong) await sleep(PAUSE);
  }
  outgoing.end('data: [DONE]\n\n');
}).listen(0, '127.0.0.1');
await once(model, 'listening');

const database = await startDatabase();
const env = {
  MONGODB_URI: database.uri,
  SHUTDOWN_SECONDS: String(SHUTDOWN_SECONDS),
  OPENAI_MODEL: 'stub',
  OPENAI_API_KEY: 'unused',
  OPENAI_BASE_URL: `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (model.address()).port}/v1`,
};
const ports = [];
while (ports.length < PROCESSES) ports.push(await freePort());
const startOn = async (port) => {
  const service = await startService({ ...env, PORT: String(port) });
  await untilReady(port);
  return service;
};
const services = await Promise.all(ports.map(startOn));
const balancer = await startBalancer(ports, 500);
const url = `http://127.0.0.1:${balancer.port}`;
let stopped = false;

/** Turns that were streamed: the process, begin and end of each, and what was wrong with it. */
const streamed = [];
async function stream(user) {
  for (let n = 0; !stopped; n++) {
    const one = { began: performance.now(), ended: Infinity, port: 0, fault: '' };
    streamed.push(one);
    const headers = { authorization: `Bearer ${user.token}`, accept: 'text/event-stream' };
    const body = JSON.stringify({ avatar_id: 'ada', request: `Slowly ${n}` });
    try {
      const answer = await fetch(`${url}/chat`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body,
      });
      one.port = Number(answer.headers.get('x-served-by'));
      const events = [...(await answer.text()).matchAll(/^event: (\S+)\ndata: (.*)$/gm)];
      const parsed = events.map(([, event, data = '']) => ({ event, data: JSON.parse(data) }));
      const deltas = parsed.filter(({ event }) => event === 'delta').map(({ data }) => data.text);
      const { event, data } = parsed.at(-1) ?? { event: `status ${answer.status}`, data: {} };
      if (event !== 'incoming' || data.answer !== ANSWER || deltas.join('') !== ANSWER)
        one.fault = `${answer.status}, ${deltas.length} deltas, then ${event} ${data.error ?? data.answer}`;
      else user.turns.add(data._id);
    } catch (error) {
      one.fault = String(/** @type {any} */ (error).cause ?? error);
    }
    one.ended = performance.now();
  }
}

/** What happened to live conversations: answers, close codes, and what was wrong. */
const talked = { answered: 0, codes: /** @type {number[]} */ ([]), faults: /** @type {string[]} */ ([]) };
async function talk(user) {
  for (let n = 0, isRepeated = false; !stopped;) {
    const client = await LiveClient.open(url.replace('http', 'ws') + '/v1/realtime?model=ada', user.token).catch(
      (error) => void talked.faults.push(error.message),
    );
    if (!client) {
      await sleep(AGAIN_MS);
      continue;
    }
    client.send('session.update', { session: { type: 'realtime', output_modalities: ['text'] } });
    const isLeft = () => client.events.some(({ type }) => type === 'session.going_away');
    while (!stopped && !isLeft() && client.socket.readyState === client.socket.OPEN) {
      const since = performance.now();
      const content = [{ type: 'input_text', text: `Live ${n}` }];
      client.send('conversation.item.create', { item: { type: 'message', role: 'user', content } });
      client.send('response.create');
      const done = await client.until('response.done', since, 60_000).catch(() => undefined);
      const hasBegun = client.events.some(({ at, type }) => at >= since && type === 'response.created');
      // What came too late for its process, and was not begun, is said again.
      if (!done && !hasBegun && isLeft() && !isRepeated) isRepeated = true;
      else {
        if (done?.response.status === 'completed') user.turns.add(done.response.output[0].id);
        else talked.faults.push(`Live ${n}: ${done ? done.response.status : 'cut'}`);
        talked.answered++;
        n++;
        isRepeated = false;
      }
    }
    if (stopped) await client.close();
    const code = await client.closed;
    if (!stopped) talked.codes.push(code);
    talked.faults.push(...client.faults);
  }
}

/** The identifiers of messages that a user's followers got, and how often they were told to read the history again. */
const followed = [];
function follow({ user_id }) {
  const one = { user_id, ids: /** @type {string[]} */ ([]), resets: 0, end: new AbortController() };
  followed.push(one);
  const events = new AvatarChat({ url, user_id }).events({ signal: one.end.signal });
  const reading = async () => {
    for await (const event of events) {
      if (event.event === 'message') one.ids.push(event.message._id);
      if (event.event === 'reset') one.resets++;
    }
  };
  reading().catch((error) => {
    if (!one.end.signal.aborted) console.log(`${user_id}: ${error}`);
  });
}

const aUser = async (user_id) => ({ user_id, token: await tokenOf(balancer.port, user_id), turns: new Set() });
const named = (name, length) => Promise.all(Array.from({ length }, (_, n) => aUser(`${name}-${n}`)));
const [readers, talkers] = [await named('reader', STREAMS), await named('talker', TALKS)];
for (const user of [...readers, ...talkers]) follow(user);
await sleep(1000);
const load = await startLoad(balancer.port, clients);
const going = Promise.all([...readers.map(stream), ...talkers.map(talk)]);
await sleep(3000);

let inProgress = 0;
let slowest = 0;
const codes = new Set();
for (let restart = 0; restart < rounds * PROCESSES; restart++) {
  const one = restart % PROCESSES;
  const signalled = performance.now();
  codes.add(await services[one].stop('SIGTERM'));
  slowest = Math.max(slowest, performance.now() - signalled);
  inProgress += streamed.filter(
    ({ port, began, ended }) => port === ports[one] && began < signalled && ended > signalled + 4000,
  ).length;
  services[one] = await startOn(ports[one]);
  while (!balancer.healthy(ports[one])) await sleep(50);
}
stopped = true;
await Promise.all([load.stop(), going]);
// Followers may be connecting again at this moment.
await sleep(5000);
for (const { end } of followed) end.abort();

const what = `${PROCESSES} processes restarted in turn, ${rounds * PROCESSES} restarts`;
const failed = load.requests.filter(isFailure);
if (failed.length > 0) console.log(outcomes(failed));
const { retried503, retriedRefused } = balancer.counts;
report.row(
  `${what}: requests that failed`,
  '0',
  `${failed.length} of ${load.requests.length} (${retried503} repeated by the balancer after a 503, ${retriedRefused} after a refused connection)`,
  failed.length === 0,
);
const cut = streamed.filter(({ fault }) => fault);
for (const { fault } of cut.slice(0, 5)) console.log(fault);
report.row(
  `The same: streamed answers of ${(WORDS.length * PAUSE) / 1000} s that were cut or refused`,
  '0',
  `${cut.length} of ${streamed.length}, ${inProgress} of which went on for more than 4 s after SIGTERM`,
  cut.length === 0 && inProgress > 0,
);
for (const fault of talked.faults.slice(0, 5)) console.log(fault);
report.row(
  'The same: live answers that were cut, and sessions that could not begin',
  `0; sessions end with ${GOING_AWAY}`,
  `${talked.faults.length} of ${talked.answered}; ended with ${talked.codes.join(', ')}`,
  talked.faults.length === 0 && talked.codes.length > 0 && talked.codes.every((code) => code === GOING_AWAY),
);
const { turns, faults } = await faultsOfHistories(balancer.port, [...load.users, ...readers, ...talkers]);
if (faults.length > 0) console.log(faults.slice(0, 5));
report.row(
  'The same: acknowledged turns that are not stored, or not once',
  '0',
  `${faults.length} of ${turns}`,
  faults.length === 0 && turns > 0,
);
let told = 0;
const wrong = [];
for (const user of [...readers, ...talkers]) {
  const { ids, resets } = followed.find(({ user_id }) => user_id === user.user_id);
  const stored = (await historyOf(balancer.port, user)).map(({ _id }) => _id).toReversed();
  told += ids.length;
  if (resets > 0) wrong.push(`${user.user_id}: ${resets} resets`);
  if (ids.join() !== stored.join()) wrong.push(`${user.user_id}: ${ids.length} told, ${stored.length} stored`);
}
if (wrong.length > 0) console.log(wrong);
report.row(
  'The same: event streams that missed a message, had one twice or in another order, or had to read the history',
  '0',
  `${wrong.length} of ${followed.length}, with ${told} messages`,
  wrong.length === 0 && told > 0,
);
report.row(
  'The same: from SIGTERM to the exit, at most',
  `≤ ${SHUTDOWN_SECONDS + END_SECONDS} s, with code 0`,
  `${(slowest / 1000).toFixed(1)} s, code ${[...codes].join(', ')}`,
  slowest <= (SHUTDOWN_SECONDS + END_SECONDS) * 1000 && codes.size === 1 && codes.has(0),
);
balancer.stop();
model.close();
for (const service of services) await service.stop('SIGKILL');
report.end();
