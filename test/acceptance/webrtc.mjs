/**
 * Calls by WebRTC from Chromium, with OpenAI's own client by its default transport: spoken turns, transcripts, a tool, an
 * interruption, histories, a killed tab, and a network that loses 5 % of the packets; first sound and processor time beside
 * those of the WebSocket. Without a Chromium, found or named by CHROMIUM_PATH, it says so and passes. Linux only.
 *
 *   npm run verify -- webrtc [--only turns,tool,interruption,cost,killed,lossy]
 *
 * MODELS_DIR may name a directory with the speech recognition model.
 */
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { build } from 'esbuild';
import { chromium } from 'playwright-core';
import { cpu } from '../../bench/usage.mjs';
import { parseArgs } from '../../scripts/arguments.mjs';
import { chromiumOptions } from '../support/chromium.mjs';
import { startModel } from './clients/model.mjs';
import { ask, directory, metric, Report, tokenOf } from './harness.mjs';
import { LiveClient } from './live/client.mjs';
import { installModel, startLive } from './live/measure.mjs';
import { asked } from './live/utterances.mjs';
import { startRelay } from './webrtc/relay.mjs';

const TURNS = 10;
const PATIENCE_MS = 20_000;
const SESSIONS = 4;
/** How long both speak while processor time is measured, in milliseconds. */
const BOTH_MS = 20_000;

const { values } = parseArgs({
  options: { only: { type: 'string', default: 'turns,tool,interruption,cost,killed,lossy' } },
});
const parts = new Set(values.only.split(','));
const report = new Report('npm run verify -- webrtc');
/** @type {{ executablePath?: string, args: string[] }} */
let options = { args: [] };
try {
  options = chromiumOptions();
} catch (error) {
  console.log(String(error));
  report.end();
}

const { outputFiles } = await build({
  entryPoints: ['test/acceptance/webrtc/page.mjs'],
  bundle: true,
  format: 'esm',
  platform: 'browser',
  write: false,
  logLevel: 'error',
});
const script = outputFiles[0]?.text ?? '';
const pages = createServer((request, response) => {
  const isScript = request.url === '/page.js';
  response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
  response.end(isScript ? script : '<!doctype html><script type="module" src="/page.js"></script>');
});
await once(pages.listen(0, '127.0.0.1'), 'listening');
const origin = `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (pages.address()).port}`;

const model = await startModel();
const catalogue = JSON.parse(readFileSync('catalogue/default.json', 'utf8'));
for (const { settings } of catalogue.projects) settings.clientContext = true;
const CATALOGUE_FILE = join(directory, 'webrtc.json');
writeFileSync(CATALOGUE_FILE, JSON.stringify(catalogue));
const service = await startLive(installModel(directory), {
  CATALOGUE_FILE,
  CORS_ORIGINS: origin,
  LIVE_SESSIONS: String(SESSIONS),
  OPENAI_MODEL: 'stub',
  OPENAI_BASE_URL: model.base_url,
});
const base = `http://127.0.0.1:${service.port}`;
const encoded = ({ samples }) => Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength).toString('base64');
const moon = await asked('How far away is the moon?');
const long = await asked('Please say something long.');
const stop = await asked('Stop please, I have another question.');

const browser = await chromium.launch({
  executablePath: options.executablePath,
  args: [...options.args, '--autoplay-policy=no-user-gesture-required'],
});

const until = async (found, ms = PATIENCE_MS) => {
  for (const end = performance.now() + ms; performance.now() < end; await delay(50)) {
    const result = await found();
    if (result) return result;
  }
  return undefined;
};
const isFree = async (free = SESSIONS) => (await metric(service.port, 'live_slots_free')) === free;
const median = (numbers) => numbers.toSorted((one, other) => one - other)[numbers.length >> 1] ?? Number.NaN;

/** A caller who has connected. @param {string} user @param {(answer: string) => string} [through] changes the SDP answer */
async function call(user, through) {
  const token = await tokenOf(service.port, user);
  const body = { session: { type: 'realtime', model: 'ada' } };
  const secret = await ask(service.port, '/v1/realtime/client_secrets', { method: 'POST', token, body });
  const page = await browser.newPage();
  page.on('pageerror', (error) => console.log(`  in the page: ${error}`));
  if (through)
    await page.route('**/v1/realtime/calls', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: response.ok() ? through(await response.text()) : undefined });
    });
  await page.goto(origin);
  await page.waitForFunction('globalThis.connect');
  await page.evaluate(
    ([url, key]) => /** @type {any} */ (globalThis).connect(url, key),
    [`${base}/v1/realtime/calls`, secret.body.value],
  );
  /** @returns {Promise<any>} */
  const state = () => page.evaluate('state');
  const event = (type, from = 0) =>
    until(async () => (await state()).events.slice(from).find((one) => one.type === type));
  const count = async () => (await state()).events.length;
  const say = (utterance) => page.evaluate((text) => /** @type {any} */ (globalThis).say(text), encoded(utterance));
  const type = (text) => page.evaluate((words) => /** @type {any} */ (globalThis).type(words), text);
  const send = (one) => page.evaluate((given) => /** @type {any} */ (globalThis).send(given), one);
  const history = async () =>
    (await ask(service.port, `/chat?user_id=${user}&per_page=100`, { token })).body.payload.toReversed();
  return { page, state, event, count, say, type, send, history };
}

/** Spoken turns. @returns {Promise<{ understood: number, answered: number, firstMs: number, startedMs: number }>} */
async function talk({ say, state, event, count }, turns) {
  /** @type {number[]} */
  const times = [];
  /** @type {number[]} */
  const starts = [];
  let [understood, answered] = [0, 0];
  for (let turn = 0; turn < turns; turn++) {
    const [from, before] = [await count(), (await state()).sounds.length];
    const { last: said } = await say(moon);
    const heard = await until(async () => (await state()).sounds.slice(before).find(({ isLoud }) => isLoud));
    if (heard) times.push(heard.at - said);
    starts.push(((await event('output_audio_buffer.started', from))?.at ?? NaN) - said);
    if (await event('output_audio_buffer.stopped', from)) answered++;
    const transcript = await event('conversation.item.input_audio_transcription.completed', from);
    if (/moon/i.test(transcript?.transcript ?? '')) understood++;
    await delay(1000);
  }
  return { understood, answered, firstMs: median(times), startedMs: median(starts) };
}

/** The same by WebSocket. @returns {Promise<number>} */
async function firstSoundByWebSocket(turns) {
  const token = await tokenOf(service.port, 'socket');
  const client = await LiveClient.open(`${base.replace('http', 'ws')}/v1/realtime?model=ada`, token);
  await client.until('session.created');
  client.send('session.update', { session: { instructions: 'Say PINEAPPLE.' } });
  client.listen();
  const times = [];
  for (let turn = 0; turn < turns; turn++) {
    const from = client.events.length;
    const { last } = await client.say(moon.samples);
    const sound = await until(() =>
      client.events.slice(from).find((one) => one.type === 'response.output_audio.delta'),
    );
    times.push(sound.at - last);
    await until(() => client.events.slice(from).some((one) => one.type === 'response.done'));
    await delay(1000);
  }
  await client.close();
  return median(times);
}

const caller = await call('caller');
if (parts.has('turns')) {
  const first = await talk(caller, TURNS);
  const { callId, errors } = await caller.state();
  report.row(
    'A call of OpenAI’s client by its default: its id; errors',
    'rtc_…; 0',
    `${callId.slice(0, 4)}…; ${errors.length}`,
    callId.startsWith('rtc_') && errors.length === 0,
  );
  for (const error of errors.slice(0, 5)) console.log(`  ${error.slice(0, 300)}`);
  report.row(
    `${TURNS} spoken turns: understood, and answered with sound`,
    `${TURNS}, ${TURNS}`,
    `${first.understood}, ${first.answered}`,
    first.understood === TURNS && first.answered === TURNS,
  );
  const bySocket = await firstSoundByWebSocket(TURNS);
  report.row(
    'End of speech to the first sound that the browser plays, and to its event; to the first sound that a WebSocket brings (median)',
    '',
    `${Math.round(first.firstMs)}, ${Math.round(first.startedMs)} ms; ${Math.round(bySocket)} ms`,
  );
}
if (parts.has('tool')) {
  const from = await caller.count();
  await caller.type('What is the weather in Paris?');
  const told = await until(async () =>
    (await caller.state()).events
      .slice(from)
      .find((one) => one.type === 'response.output_audio_transcript.done' && /21 degrees/.test(one.transcript)),
  );
  const { called } = await caller.state();
  report.row(
    'A function of the page is called, and its result spoken',
    'Paris; yes',
    `${called[0]?.city}; ${told ? 'yes' : 'no'}`,
    called[0]?.city === 'Paris' && Boolean(told),
  );
  await caller.event('output_audio_buffer.stopped', from);
  await delay(1500);
}
if (parts.has('interruption')) {
  const from = await caller.count();
  await caller.say(long);
  await caller.event('output_audio_buffer.started', from);
  await delay(2500);
  const [before, spoken] = [(await caller.state()).sounds.length, await caller.count()];
  const { first: began } = await caller.say(stop);
  const silent = await until(async () => (await caller.state()).sounds.slice(before).find(({ isLoud }) => !isLoud));
  const { response } = (await caller.event('response.done', from)) ?? {};
  const cleared = await caller.event('output_audio_buffer.cleared', from);
  const started = await caller.event('input_audio_buffer.speech_started', spoken);
  report.row(
    'Interruption: beginning of speech to its event, and to silence in the browser; response; buffer cleared',
    '≤ 1500 ms; turn_detected; yes',
    `${Math.round((started?.at ?? NaN) - began)}, ${Math.round((silent?.at ?? NaN) - began)} ms; ${response?.status_details?.reason}; ${cleared ? 'yes' : 'no'}`,
    (silent?.at ?? NaN) - began <= 1500 && response?.status_details?.reason === 'turn_detected' && Boolean(cleared),
  );
  await delay(6000);
}
if (['turns', 'tool', 'interruption'].every((part) => parts.has(part))) {
  const stored = await caller.history();
  const { history } = await caller.state();
  const requests = stored.filter(({ request }) => request).length;
  report.row(
    'Turns stored; items in the client’s history',
    `≥ ${TURNS + 2}; ≥ ${2 * (TURNS + 2)}`,
    `${requests}; ${history.length}`,
    requests >= TURNS + 2 && history.length >= 2 * (TURNS + 2),
  );
}
if (parts.has('cost')) {
  const turn_detection = { type: 'server_vad', create_response: false, interrupt_response: false };
  await caller.send({ type: 'session.update', session: { type: 'realtime', audio: { input: { turn_detection } } } });
  await caller.event('session.updated');
  const idle = await shareOf(async () => delay(BOTH_MS / 2));
  const both = await shareOf(async () => {
    const end = performance.now() + BOTH_MS;
    const talking = (async () => {
      while (performance.now() < end) await caller.say(moon);
    })();
    while (performance.now() < end) {
      const from = await caller.count();
      await caller.type('Say something long');
      await caller.event('output_audio_buffer.stopped', from);
    }
    await talking;
  });
  const show = ({ calls, all }) => `${(100 * calls).toFixed(1)} % of ${(100 * all).toFixed(1)} %`;
  report.row(
    'Share of a core while both speak: the call, of all that the service does with it',
    '≤ 12 %',
    show(both),
    both.calls <= 0.12,
  );
  report.row('The same while both are silent', '', show(idle));
}
if (parts.has('killed')) {
  await caller.page.goto('chrome://crash').catch(() => undefined);
  const killedAt = performance.now();
  const freed = await until(() => isFree());
  report.row(
    'A killed tab: until its slot is free',
    '≤ 5 s',
    `${((performance.now() - killedAt) / 1000).toFixed(1)} s`,
    Boolean(freed) && performance.now() - killedAt <= 5000,
  );
}
if (parts.has('lossy')) {
  const relay = await startRelay(0.05);
  const lossy = await call('lossy', relay.through);
  const far = await talk(lossy, TURNS);
  report.row(
    `With 5 % of packets lost each way: ${TURNS} turns understood, answered; first sound`,
    `≥ ${TURNS - 1}, ${TURNS}`,
    `${far.understood}, ${far.answered}; ${Math.round(far.firstMs)} ms (lost ${relay.lost()} of ${relay.lost() + relay.passed()})`,
    far.understood >= TURNS - 1 && far.answered === TURNS,
  );
  await lossy.page.close();
  await until(() => isFree());
  relay.stop();
}

await browser.close();
pages.close();
await service.stop();
model.stop();
report.end();

/** Shares of a core that calls, and all processes of the service, take during something. */
async function shareOf(doing) {
  const child = callsProcess();
  const [began, all, calls] = [performance.now(), cpu(service.pid), cpu(child)];
  await doing();
  const ms = performance.now() - began;
  return { all: (cpu(service.pid) - all) / ms, calls: (cpu(child) - calls) / ms };
}

/** The process of calls, a child of the service. */
function callsProcess() {
  const children = readFileSync(`/proc/${service.pid}/task/${service.pid}/children`, 'utf8').trim().split(' ');
  const found = children.find((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('calls.process'));
  if (!found) throw new Error('There is no process of calls');
  return Number(found);
}
