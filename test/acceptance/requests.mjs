/**
 * Runs the requests of docs/requests.http, one after the other, as an editor's REST client would, and the calls of the
 * TypeScript client beside them. Each has to get a success that openapi.json describes, and each operation of openapi.json
 * needs a request. docs/samples.md shows them with their answers; --write writes it, otherwise it is compared, but for
 * what depends on the moment.
 *
 *   npm run verify -- requests [--write]
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { formatted } from '../../scripts/formatted.mjs';
import { Report, startService, untilReady } from './harness.mjs';

execFileSync('npm', ['run', '--silent', 'build', '--workspace', 'packages/client'], { stdio: 'inherit' });
/** @type {any} */
const { AvatarChat } = await import(new URL('../../packages/client/dist/index.js', import.meta.url).href);

const FILE = 'docs/requests.http';
const PAGE = 'docs/samples.md';
const KEY = 'k'.repeat(48);
/** What no request of a file can do: their URLs are made from others, and memories need a model. */
const NOT_HERE = ['get /files/{file_id}/sound', 'get /files/{file_id}/details', 'delete /memories/{memory_id}'];
const LIMIT_MS = 30_000;
const STREAM_MS = 500;
const MAX_TEXT = 160;

/** @typedef {{ title: string, name?: string, calls: string[], method: string, url: string, headers: Record<string, string>, body: string }} Request */

/** @returns {Request[]} */
function requestsOf(text) {
  const [, ...parts] = text.split(/^### /m);
  return parts.map((part) => {
    const [title = '', ...lines] = part.split('\n');
    const notes = lines.filter((line) => line.startsWith('# @') || line.startsWith('# ts '));
    const [head = '', ...rest] = lines
      .filter((line) => !notes.includes(line))
      .join('\n')
      .trim()
      .split('\n\n');
    const [first = '', ...headers] = head.split('\n');
    const [method = '', url = ''] = first.split(' ');
    return {
      title,
      name: notes.find((note) => note.startsWith('# @name '))?.slice(8),
      calls: notes.filter((note) => note.startsWith('# ts ')).map((note) => note.slice(5)),
      method,
      url,
      headers: Object.fromEntries(headers.map((line) => line.split(/: (.*)/).slice(0, 2))),
      body: rest.join('\n\n'),
    };
  });
}

const text = readFileSync(FILE, 'utf8');
const { paths } = JSON.parse(readFileSync('openapi.json', 'utf8'));
const report = new Report('npm run verify -- requests');
const service = await startService({ MONGODB_URI: 'embedded::memory:', ADMIN_KEY: KEY });
await untilReady(service.port);
const url = `http://127.0.0.1:${service.port}`;
const answers = new Map();
const fill = (template) =>
  template
    .replaceAll('{{url}}', url)
    .replaceAll('{{key}}', KEY)
    .replace(/\{\{(\w+)\.response\.body\.\$\.([\w.]+)\}\}/g, (_, name, path) =>
      path.split('.').reduce((value, field) => value[field], answers.get(name)),
    );

/** The operation that a request is for, as `get /chat`. */
function operationOf({ method, url: target, headers }) {
  const path = new URL(fill(target)).pathname;
  if (headers.Accept === 'text/event-stream' && path === '/chat') return `${method.toLowerCase()} /chat#stream`;
  const found = Object.keys(paths).filter(
    (known) => new RegExp(`^${known.replace(/\{\w+\}/g, '[^/]+')}$`).test(path) && paths[known][method.toLowerCase()],
  );
  // Of `/messages/ratings` and `/messages/{message_id}`, the one without a parameter.
  const [nearest = path] = found.sort((one, other) => one.split('{').length - other.split('{').length);
  return `${method.toLowerCase()} ${nearest}`;
}

/** Sends a request. Of a stream without an end, it returns the beginning. */
async function send({ method, url: target, headers, body }) {
  const filled = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, fill(value)]));
  const form = body.startsWith('--');
  const payload = body ? fill(form ? `${body.replaceAll('\n', '\r\n')}\r\n` : body) : undefined;
  const response = await fetch(fill(target), {
    method,
    headers: filled,
    ...(payload === undefined ? {} : { body: payload }),
    signal: AbortSignal.timeout(LIMIT_MS),
  });
  let received = '';
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const timer = setTimeout(() => void reader?.cancel(), target.includes('/events') ? STREAM_MS : LIMIT_MS);
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true };
    if (done) break;
    received += value;
    if (target.includes('/events') && received.includes('\n\n')) await reader?.cancel();
  }
  clearTimeout(timer);
  return { status: response.status, type: response.headers.get('content-type') ?? '', received };
}

const short = (value) =>
  typeof value === 'string' && value.length > MAX_TEXT
    ? `${value.slice(0, MAX_TEXT / 2)}…`
    : Array.isArray(value)
      ? value.slice(0, 1).map(short)
      : value && typeof value === 'object'
        ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, short(inner)]))
        : value;

/** Replaces what differs each time. */
const masked = (shown) =>
  shown
    .replaceAll(url, 'http://127.0.0.1:3000')
    .replace(/eyJ[\w.-]+…?/g, 'eyJhbGciOiJIUzI1NiIs…')
    .replace(/(data:[\w/]+;base64,)[^"]*/g, '$1…')
    .replace(/ek_[\w-]+/g, 'ek_…')
    .replace(/sess_[\w-]+/g, 'sess_1kV4yDO7Z1w755y5')
    .replace(/whsec_[\w+/]+=*/g, 'whsec_…')
    .replace(/(?<![0-9a-z])[0-9a-f]{24}(?![0-9a-z])/g, '6b014900a5f311ee082e61f9')
    .replace(/\b[0-9a-f]{8}-[0-9a-f-]{27}\b/g, '5db3cc4e-52f1-4d1c-9a55-2f1c0e9a8d11')
    .replace(/\b[0-9a-f]{32}\b/g, '9f86d081884c7d659a2feaa0c55ad015')
    .replace(/\b\d{4}-\d\d-\d\d(T[\d:.]+Z)?/g, (date) => (date.length > 10 ? '2026-11-21T07:15:49.522Z' : '2026-11-21'))
    .replace(/\b1[789]\d{11}\b/g, '1763700000000')
    .replace(/\b1[789]\d{8}\b/g, '1763700000')
    .replace(/"[\w-]{43}"|"[\w-]{22}"/g, '"Jv6…"')
    .replace(/(signature=)[\w-]+/g, '$1…')
    .replace(/^retry: \d+/gm, 'retry: 3000');

/** What does not depend on the moment: neither counts, nor which deliveries have been tried. */
const stablePart = (text) =>
  text.replace(/^## See webhook deliveries\n[^]*?(?=^## )/m, '').replace(/\d+(\.\d+)?/g, '0');

const curlOf = ({ method, url: target, headers, body }) => {
  const named = (value) =>
    value
      .replaceAll('{{url}}', 'http://127.0.0.1:3000')
      .replace(/\{\{token\.[^}]+\}\}/g, '$TOKEN')
      .replace(/\{\{voice\.[^}]+\}\}/g, '$FILE_URL')
      .replace(/\{\{document\.[^}]+\}\}/g, '$DOCUMENT_ID')
      .replace(/\{\{[^}]+\}\}/g, '$MESSAGE_ID');
  const form = body.startsWith('--');
  const words = [
    `curl -s${method === 'GET' || body ? '' : ` -X ${method}`}${body && method !== 'POST' ? ` -X ${method}` : ''} "${named(target)}"`,
    ...Object.entries(headers)
      .filter(([name]) => !form || name !== 'Content-Type')
      .map(([name, value]) => (value.includes('{{key}}') ? '-H @admin.header' : `-H "${name}: ${named(value)}"`)),
    ...(form ? ['-F file=@returns.md'] : body ? [`-d '${body}'`] : []),
  ];
  return words.join(' \\\n  ');
};

const covered = new Set();
const faults = [];
const sections = [];
for (const request of requestsOf(text)) {
  const operation = operationOf(request);
  covered.add(operation);
  const { status, type, received } = await send(request);
  const [method = '', path = ''] = operation.split(' ');
  if (status >= 300 || !paths[path]?.[method]?.responses[status])
    faults.push(`${request.title}: ${operation} is ${status}: ${received.slice(0, 300)}`);
  const isJson = /^application\/json\b/.test(type);
  if (request.name && isJson) answers.set(request.name, JSON.parse(received));
  for (const call of request.calls) {
    const chat = new AvatarChat({ url, user_id: 'user-1', project_id: 'shop' });
    // A loop is left after its first event.
    const code = `${fill(call).replace('console.log(event)', 'break')}`;
    try {
      const ended = new Function('chat', `return (async () => { ${code} })()`)(chat);
      // Nothing may happen in a conversation that is followed.
      await (call.includes('chat.events(') ? Promise.race([ended, sleep(STREAM_MS)]) : ended);
    } catch (error) {
      faults.push(`${request.title}: ${call}: ${error}`);
    }
  }
  const shown = isJson
    ? `\`\`\`json\n${masked(JSON.stringify(short(JSON.parse(received)), null, 2))}\n\`\`\``
    : /^text|ndjson|jsonl/.test(type) && received
      ? `\`\`\`\n${masked(
          received
            .split('\n')
            .slice(0, 3)
            .map((line) => short(line))
            .join('\n')
            .trim(),
        )}\n\`\`\``
      : type
        ? `\`${type}\``
        : 'No body.';
  const call = request.calls
    .map((one) => `\`\`\`ts\n${one.replace(/\{\{[^}]+\}\}/g, 'MESSAGE_ID')};\n\`\`\`\n\n`)
    .join('');
  sections.push(`## ${request.title}\n\n\`\`\`bash\n${curlOf(request)} # ${status}\n\`\`\`\n\n${call}${shown}`);
}
await service.stop();

const missing = Object.entries(paths)
  .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`))
  .filter((operation) => !covered.has(operation) && !NOT_HERE.includes(operation));
faults.push(...missing.map((operation) => `no request for ${operation}`));
const page = await formatted(
  PAGE,
  `# Samples of every route\n\nWith \`TOKEN\` of [\`POST /jwt\`](#get-a-token) and \`admin.header\` of [the administration](administration.md); \`chat\` is the [TypeScript client](../packages/client/README.md). Answers are shortened: lists have one entry. [requests.http](requests.http) has the same for your editor. Generated: \`npm run verify -- requests --write\`\n\n${sections.join('\n\n')}\n`,
);
if (process.argv.includes('--write')) writeFileSync(PAGE, page);
else if (stablePart(readFileSync(PAGE, 'utf8')) !== stablePart(page)) {
  faults.push(`${PAGE} does not show what the service answers; --write writes it`);
  writeFileSync('.cache/samples.md', page);
}
for (const fault of faults) console.log(fault);
report.row(
  'Requests for every route, and samples that are what the service answers',
  `${covered.size} of ${covered.size}`,
  faults.length === 0 ? 'yes' : `${faults.length} faults`,
  faults.length === 0,
);
report.end();
