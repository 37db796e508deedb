/**
 * Traces with OpenTelemetry's own SDK, which is installed in .cache: what a collector gets of a turn, and what a turn and
 * a shutdown cost if the collector is away or hangs.
 *
 *   npm run verify -- tracing [--sdk 0.223.0] [--turns 100]
 */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ask, freePort, launchService, Report, startService, tokenOf, untilReady } from './harness.mjs';

const { values } = parseArgs({
  options: { sdk: { type: 'string', default: '0.223.0' }, turns: { type: 'string', default: '100' } },
});
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER = '00f067aa0ba902b7';
const WORD = 'dandelion';
/** What a shutdown may wait for the collector, with the noise of two shutdowns, in milliseconds. */
const SHUTDOWN_MS = 500;

const cache = fileURLToPath(new URL(`../../.cache/tracing-${values.sdk}`, import.meta.url));
mkdirSync(cache, { recursive: true });
const packages = [`@opentelemetry/sdk-node@${values.sdk}`];
const install = spawnSync('npm', [
  'install',
  '--no-audit',
  '--no-fund',
  '--ignore-scripts',
  '--prefix',
  cache,
  ...packages,
]);
if (install.status !== 0) throw new Error(`npm install ${packages.join(' ')} failed`);

const report = new Report('npm run verify -- tracing');
/** @type {any[]} */
const spans = [];
let text = '';
const collector = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  text += body;
  for (const { scopeSpans } of JSON.parse(body).resourceSpans)
    for (const scope of scopeSpans) spans.push(...scope.spans);
  response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
}).listen(0, '127.0.0.1');
/** Accepts requests, and never answers. */
const hanging = createServer(() => undefined).listen(0, '127.0.0.1');
await Promise.all([once(collector, 'listening'), once(hanging, 'listening')]);
const urlOf = (server) => `http://127.0.0.1:${server.address().port}`;

/** Median of the turns and time of the shutdown, in milliseconds. @param {string} [endpoint] */
async function measure(endpoint) {
  const traced = endpoint && { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' };
  const NODE_PATH = join(cache, 'node_modules');
  const service = await startService({ MONGODB_URI: 'embedded::memory:', SPEECH_MODELS: 'off', NODE_PATH, ...traced });
  await untilReady(service.port);
  const token = await tokenOf(service.port);
  const turn = (headers = {}) =>
    ask(service.port, '/chat', { method: 'POST', token, headers, body: { avatar_id: 'ada', request: `A ${WORD}` } });
  const first = await turn({ traceparent: `00-${TRACE}-${CALLER}-01` });
  if (first.status !== 201) throw new Error(`POST /chat answered ${first.status}`);
  const times = [];
  for (let n = 0; n < Number(values.turns); n++) times.push((await turn()).ms);
  const began = performance.now();
  await service.stop();
  return { turn: times.sort((one, other) => one - other)[times.length >> 1], shutdown: performance.now() - began };
}

const off = await measure();
const on = await measure(urlOf(collector));
const away = await measure(`http://127.0.0.1:${await freePort()}`);
const hung = await measure(urlOf(hanging));

const ofTurn = spans.filter(({ traceId }) => traceId === TRACE);
const root = ofTurn.find(({ parentSpanId }) => parentSpanId === CALLER);
const ids = new Set(ofTurn.map(({ spanId }) => spanId));
const orphans = ofTurn.filter((span) => span !== root && !ids.has(span.parentSpanId));
const names = ['POST /chat', 'ask engine', 'insert messages'];
const found = names.filter((name) => ofTurn.some((span) => span.name === name));
report.row('Spans of a turn in its caller’s trace', names.join(', '), found.join(', '), found.length === names.length);
report.row('Spans without a parent in the trace', '0', orphans.length, root !== undefined && orphans.length === 0);
report.row('Words of messages in what was sent', '0', text.split(WORD).length - 1, !text.includes(WORD));
const turns = [off, on, away, hung].map(({ turn }) => turn.toFixed(1)).join(' / ');
report.row('A turn without traces / with / collector away / hanging', '', `${turns} ms`);
for (const { what, shutdown } of [
  { what: 'away', ...away },
  { what: 'hangs', ...hung },
]) {
  const more = shutdown - off.shutdown;
  report.row(
    `Shutdown if the collector ${what}`,
    `≤ ${SHUTDOWN_MS} ms more`,
    `${more.toFixed(0)} ms`,
    more <= SHUTDOWN_MS,
  );
}

const code = await launchService({
  MONGODB_URI: 'embedded::memory:',
  OTEL_EXPORTER_OTLP_ENDPOINT: urlOf(collector),
}).ended;
report.row('Exit status without the package', '1', code, code === 1);
collector.close();
hanging.closeAllConnections();
hanging.close();
report.end();
