/**
 * Traces with OpenTelemetry's own SDK, which is installed in .cache: what a collector gets of a turn, and what a turn and
 * a shutdown cost if the collector is away or hangs.
 *
 *   npm run verify -- tracing [--sdk VERSION] [--turns 100]
 */
import { parseArgs } from '../../scripts/arguments.mjs';
import { installSdk, startCollector } from '../support/telemetry.mjs';
import { ask, freePort, launchService, Report, startService, tokenOf, untilReady } from './harness.mjs';

const { values } = parseArgs({
  options: { sdk: { type: 'string' }, turns: { type: 'string', default: '100' } },
});
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER = '00f067aa0ba902b7';
const WORD = 'dandelion';
/** What a shutdown may wait for the collector, with the noise of two shutdowns, in milliseconds. */
const SHUTDOWN_MS = 500;

const NODE_PATH = installSdk(values.sdk);
const report = new Report('npm run verify -- tracing');
/** @type {any[]} */
const spans = [];
let text = '';
const collector = await startCollector((body) => {
  text += body;
  for (const { scopeSpans } of JSON.parse(String(body)).resourceSpans)
    for (const scope of scopeSpans) spans.push(...scope.spans);
});
const hanging = await startCollector(undefined);

/** Median of the turns and time of the shutdown, in milliseconds. @param {string} [endpoint] */
async function measure(endpoint) {
  const traced = endpoint && { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' };
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
const on = await measure(collector.url);
const away = await measure(`http://127.0.0.1:${await freePort()}`);
const hung = await measure(hanging.url);

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
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
}).ended;
report.row('Exit status without the package', '1', code, code === 1);
collector.stop();
hanging.stop();
report.end();
