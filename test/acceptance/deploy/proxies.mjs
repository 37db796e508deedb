/** Two processes behind the real nginx and the real Caddy, with the configurations of `deploy/` and their prefix. */
import { setTimeout as sleep } from 'node:timers/promises';
import { aWav } from '../../support/wav.mjs';
import { freePort, startDatabase, startService, untilReady } from '../harness.mjs';
import { LiveClient } from '../live/client.mjs';
import { AT_THE_ROOT, ON_THE_PAGE, PROXIES } from './servers.mjs';
import { obtain } from './tools.mjs';

const PREFIX = '/talk';
const UPLOAD_BYTES = 7_000_000;
const TOO_LARGE_BYTES = 12_000_000;
const REQUESTS = 300;

const aRecording = (bytes) => aWav(44_100, bytes / 2, (n) => 3000 * Math.sin(n / 20));

/** The events of a stream, until it ends. */
async function* eventsOf(response) {
  let rest = '';
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
    const blocks = (rest + piece).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const [, event] = /^event: (.+)$/m.exec(block) ?? [];
      if (event) yield event;
    }
  }
}

/** The first event of a type, while the stream goes on. */
async function until(events, wanted) {
  for (;;) {
    const { done, value } = await events.next();
    if (done) throw new Error(`The stream ended before ${wanted}`);
    if (value === wanted) return;
  }
}

function check(condition, what) {
  if (!condition) throw new Error(what);
}

/** What clients do, through the proxy. Each throws an error that says what was wrong. */
function walk(base) {
  const json = { 'content-type': 'application/json' };
  let token = '';
  /** @param {string} path @param {RequestInit} [init] */
  const call = (path, { headers, ...rest } = {}) =>
    fetch(base + path, {
      ...rest,
      headers: { authorization: `Bearer ${token}`, ...headers },
      signal: AbortSignal.timeout(30_000),
    });
  const say = (request, headers = {}) =>
    call('/chat', {
      method: 'POST',
      headers: { ...json, ...headers },
      body: JSON.stringify({ avatar_id: 'ada', request }),
    });
  return {
    'a token and /connection, whose URLs have the prefix': async () => {
      const issued = await fetch(`${base}/jwt`, { method: 'POST', headers: json, body: '{"user_id":"ann"}' });
      token = /** @type {any} */ (await issued.json()).jwt;
      const { avatars_info } = /** @type {any} */ (await (await call('/connection')).json());
      const pictures = avatars_info.flatMap(({ previewIcons }) => Object.values(previewIcons));
      check(pictures.length > 0, 'there are no pictures');
      for (const url of pictures) {
        check(url.startsWith(`${base}/`), `${url} is not under ${base}`);
        check((await fetch(url)).status === 200, `${url} is not there`);
      }
    },
    'a streamed answer': async () => {
      const answer = await say('Hello, who are you?', { accept: 'text/event-stream' });
      check(/^text\/event-stream/.test(answer.headers.get('content-type') ?? ''), 'it is no event stream');
      await until(eventsOf(answer), 'incoming');
    },
    'events of a stream that stays open': async () => {
      const events = eventsOf(await call('/chat/events', { headers: { accept: 'text/event-stream' } }));
      const seen = until(events, 'message');
      await say('Hello');
      await seen;
      await events.return(undefined);
    },
    'a live conversation by WebSocket': async () => {
      const client = await LiveClient.open(`${base.replace('http', 'ws')}/v1/realtime?model=ada`, token);
      client.send('response.create');
      const { response } = await client.until('response.done');
      client.socket.close();
      check(response.status === 'completed', `the greeting is ${response.status}`);
    },
    'a recording of 7 MB, there and back': async () => {
      const bytes = aRecording(UPLOAD_BYTES);
      const answer = await upload(bytes);
      check(answer.status === 201, `it is ${answer.status}`);
      const { outgoing } = /** @type {any} */ (await answer.json());
      check(outgoing.fileUrl.startsWith(`${base}/`), `${outgoing.fileUrl} is not under ${base}`);
      const stored = Buffer.from(await (await fetch(outgoing.fileUrl)).arrayBuffer());
      check(stored.equals(bytes), `${stored.length} bytes came back`);
      const part = await fetch(outgoing.fileUrl, { headers: { range: 'bytes=1000-1999' } });
      check(part.status === 206 && (await part.arrayBuffer()).byteLength === 1000, `a range is ${part.status}`);
    },
    'a recording of 12 MB: 413': async () => {
      const status = await upload(aRecording(TOO_LARGE_BYTES)).then(
        (answer) => answer.status,
        () => 413,
      );
      check(status === 413, `it is ${status}`);
    },
    'metrics, interactive documentation, administration and console: 404': async () => {
      for (const path of [
        '/metrics',
        '/docs',
        '/docs/',
        '//metrics',
        '/%6detrics',
        '/docs-json',
        '/x/../metrics',
        '/metrics/',
        '/admin/projects',
        '//admin/projects',
        '/%61dmin/projects',
        '/console',
        '/console/',
        '/console/console.js',
      ])
        check((await fetch(base + path)).status === 404, `${path} is public`);
    },
  };

  function upload(bytes) {
    const form = new FormData();
    form.append('avatar_id', 'ada');
    form.append('request', 'Hello');
    form.append('file', new Blob([bytes]), 'recording.wav');
    return call('/chat', { method: 'POST', body: form });
  }
}

/** Requests while a process is replaced: how many got no answer, or none that is right. */
async function restart(base, services, launchOne) {
  const issued = await fetch(`${base}/jwt`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"user_id":"bob"}',
  });
  const { jwt } = /** @type {any} */ (await issued.json());
  const failed = [];
  let over = false;
  const load = async () => {
    for (let sent = 0; sent < REQUESTS || !over; sent++) {
      const answer = await fetch(`${base}/chat?user_id=bob`, { headers: { authorization: `Bearer ${jwt}` } }).catch(
        (error) => error,
      );
      if (answer.status !== 200) failed.push(answer.status ?? answer.cause?.code ?? answer.message);
      await answer.arrayBuffer?.();
      await sleep(5);
    }
  };
  const loads = [load(), load(), load(), load()];
  for (const [n, service] of services.entries()) {
    await service.stop();
    services[n] = await launchOne(n);
    await sleep(3000);
  }
  over = true;
  await Promise.all(loads);
  return failed;
}

export async function checkProxies(report) {
  for (const [name, start] of Object.entries(PROXIES)) {
    const program = obtain(/** @type {any} */ (name.split(' ')[0]));
    if (!program) continue;
    const [port, ...ports] = [await freePort(), await freePort(), await freePort()];
    const base = `http://127.0.0.1:${port}${name === ON_THE_PAGE || name === AT_THE_ROOT ? '' : PREFIX}`;
    const database = await startDatabase();
    const env = {
      NODE_ENV: 'production',
      MONGODB_URI: database.uri,
      PUBLIC_URL: base,
      TRUST_PROXY: '1',
      RATE_LIMIT: 'off',
      ADMIN_KEY: 'the-admin-key-of-these-proxies-0123456789',
    };
    const launchOne = async (n) => {
      const service = await startService({ ...env, PORT: String(ports[n]) });
      await untilReady(ports[n]);
      return service;
    };
    const services = [await launchOne(0), await launchOne(1)];
    const proxy = start(program, ports, port);
    for (let n = 0; n < 100 && !(await fetch(`${base}/health/ready`).catch(() => undefined))?.ok; n++) await sleep(100);
    for (const [what, step] of Object.entries(walk(base))) {
      const fault = await step().then(
        () => '',
        (error) => `${error.message} ${error.cause ?? ''}`,
      );
      report.row(`${name}: ${what}`, 'passes', fault || 'passes', fault === '');
    }
    if (name !== ON_THE_PAGE) {
      const failed = await restart(base, services, launchOne);
      const seen = failed.length > 0 ? `${failed.length}: ${[...new Set(failed)]}` : 0;
      report.row(`${name}: failed reads while two processes are replaced`, 0, seen, failed.length === 0);
    }
    await proxy.stop('SIGTERM');
    const words = `${proxy.output.out}${proxy.output.err}`
      .split('\n')
      .filter((line) => /\[(emerg|crit|error)\]|"level":"(error|fatal)"/.test(line));
    if (words.length > 0) console.log(words.slice(0, 5).join('\n'));
    await Promise.all(services.map((service) => service.stop()));
    await database.stop();
  }
}
