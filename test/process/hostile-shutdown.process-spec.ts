import { once } from 'node:events';
import { createServer as createModel } from 'node:http';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { aRecording, aUser, type HostilePeer, type Service, startHostilePeer, startService } from '../support/index.js';

/** From SIGTERM to the exit: 5 s at most on an idle machine, as `npm run verify -- restarts` shows. */
const END_LIMIT_MS = 30_000;
const JWT_SECRET = 'a secret of the tests, of more than 32 bytes';
const KEY = 'sk-hostile-0123456789';

let directory: string;
beforeAll(() => (directory = mkdtempSync(join(tmpdir(), 'hostile-'))));
afterAll(() => rmSync(directory, { recursive: true }));

/** Stops a service; code 0 means that it was not ended by the last resort. */
async function endsInTime({ process, ended }: Service): Promise<void> {
  const started = performance.now();
  process.kill('SIGTERM');
  expect(await Promise.race([ended, delay(END_LIMIT_MS, 'still there', { ref: false })])).toBe(0);
  expect(performance.now() - started).toBeLessThan(END_LIMIT_MS);
}

describe('a shutdown', () => {
  let service: Service | undefined;
  let peers: HostilePeer[];
  afterEach(async () => {
    service?.process.kill('SIGKILL');
    await Promise.all(peers.map((peer) => peer.close()));
  });

  it('waits for none of the peers that calls are waiting for, and leaves no part of a key in the log', async () => {
    const [model, speaker, transcriber, silent, upgrading] = (peers = await Promise.all([
      startHostilePeer('trickles empty events'),
      startHostilePeer('trickles its body'),
      startHostilePeer('never answers'),
      startHostilePeer('never answers'),
      startHostilePeer('switches protocols'),
    ])) as [HostilePeer, HostilePeer, HostilePeer, HostilePeer, HostilePeer];
    const at = ({ url }: HostilePeer) => ({
      kind: 'openai',
      base_url: `${url}/v1`,
      model: 'm',
      api_key_env: 'PROVIDER_KEY',
    });
    const catalogue = JSON.parse(readFileSync('catalogue/default.json', 'utf8'));
    const engine = { ...at(model), system_prompt: 'You are kind.' };
    catalogue.avatars.push({ ...catalogue.avatars[0], _id: 'model', engine });
    Object.assign(catalogue.projects[0], {
      avatars: ['ada', 'model'],
      speech: { speaker: at(speaker), transcriber: at(transcriber) },
      webhooks: [
        { name: 'silent', url: silent.url },
        { name: 'upgrading', url: upgrading.url },
      ],
    });
    writeFileSync(join(directory, 'catalogue.json'), JSON.stringify(catalogue));
    service = await startService({
      DATA_DIR: directory,
      CATALOGUE_FILE: join(directory, 'catalogue.json'),
      JWT_SECRET,
      PROVIDER_KEY: KEY,
    });
    const call = async (path: string, headers: Record<string, string>, body: string | FormData) => {
      const answer = await fetch(service!.url + path, { method: 'POST', headers, body });
      return { status: answer.status, text: await answer.text() };
    };
    const json = { 'content-type': 'application/json' };
    const { jwt } = JSON.parse((await call('/jwt', json, JSON.stringify({ user_id: aUser() }))).text);
    const authorization = `Bearer ${jwt}`;
    const say = (what: object, headers = {}) =>
      call('/chat', { ...json, authorization, ...headers }, JSON.stringify({ request: 'Hi', ...what }));
    const form = new FormData();
    form.set('avatar_id', 'ada');
    form.set('file', new Blob([aRecording()], { type: 'audio/wav' }), 'a.wav');
    const answers = [
      say({ avatar_id: 'model' }),
      say({ avatar_id: 'model' }, { accept: 'text/event-stream' }),
      say({ avatar_id: 'ada', chat_type: 'voice' }),
      call('/chat', { authorization }, form),
    ].map((answer) => answer.catch(() => ({ status: 0, text: '' })));
    let early: unknown;
    for (const answer of answers) void answer.then((one) => (early = one));
    while (peers.some(({ heads }) => heads.length === 0) || model.heads.length < 2) {
      expect(early).toBeUndefined();
      await delay(20);
    }
    expect(model.heads[0]).toContain(KEY);
    await endsInTime(service);
    expect(await Promise.all(answers)).not.toContainEqual(
      expect.objectContaining({ text: expect.stringContaining(KEY) }),
    );
    expect(service.output.out + service.output.err).not.toContain(KEY);
  });

  it('lets answers end within SHUTDOWN_SECONDS', async () => {
    peers = [];
    let asked = () => {};
    const isAsked = new Promise<void>((resolve) => (asked = resolve));
    const model = createModel((request, response) => {
      request.resume();
      asked();
      setTimeout(() => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const chunk = { choices: [{ index: 0, delta: { content: 'At last.' }, finish_reason: 'stop' }] };
        response.end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`);
      }, 4500);
    }).listen(0, '127.0.0.1');
    await once(model, 'listening');
    service = await startService({
      MONGODB_URI: 'embedded::memory:',
      DATA_DIR: directory,
      JWT_SECRET,
      SHUTDOWN_SECONDS: '25',
      OPENAI_MODEL: 'm',
      OPENAI_BASE_URL: `http://127.0.0.1:${(model.address() as AddressInfo).port}/v1`,
    });
    const post = (path: string, body: object, headers = {}) =>
      fetch(service!.url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      });
    const { jwt } = (await (await post('/jwt', { user_id: aUser() })).json()) as { jwt: string };
    const request = 'Xyzzy plugh?';
    const answer = post('/chat', { avatar_id: 'ada', request }, { authorization: `Bearer ${jwt}` });
    await isAsked;
    await endsInTime(service);
    expect((await answer).status).toBe(201);
    expect(await (await answer).text()).toContain('At last.');
    model.close();
  });

  it('answers the turns that arrived before it, although it has just started', async () => {
    peers = [];
    const settings = { MONGODB_URI: 'embedded::memory:', DATA_DIR: directory, JWT_SECRET, SHUTDOWN_SECONDS: '25' };
    service = await startService(settings);
    const { url } = service;
    const post = async (path: string, body: object, headers = {}) => {
      const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers } };
      const response = await fetch(url + path, { ...init, body: JSON.stringify(body) });
      return { status: response.status, body: (await response.json()) as { jwt: string; error?: string } };
    };
    const issued = await Promise.all(Array.from({ length: 40 }, () => post('/jwt', { user_id: aUser() })));
    // In three languages of two avatars, whose scripts nobody has needed yet.
    const turns = issued.map(({ body: { jwt } }, n) => {
      const asked = { avatar_id: ['ada', 'bruno'][n % 2], language_code: ['en', 'de', 'es'][n % 3], request: 'Hello' };
      return post('/chat', asked, { authorization: `Bearer ${jwt}` });
    });
    await delay(200);
    await endsInTime(service);
    const refused = (await Promise.all(turns)).filter(({ status }) => status !== 201);
    expect(refused.map(({ status, body }) => `${status} ${body.error}`)).toEqual([]);
  });

  it('does not wait for a refused client that keeps its side of the connection open', async () => {
    peers = [];
    service = await startService({ MONGODB_URI: 'embedded::memory:', DATA_DIR: directory, JWT_SECRET });
    const socket = connect({ port: Number(new URL(service.url).port), host: '127.0.0.1', allowHalfOpen: true });
    socket.write(
      'GET /v1/realtime HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    );
    expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1\.1 401 /);
    await endsInTime(service);
    socket.destroy();
  });
});

describe('a database that is something else', () => {
  const BEHAVIOURS: Record<string, (socket: Socket) => void> = {
    'never answers': () => undefined,
    resets: (socket) => void socket.resetAndDestroy(),
    'closes early': (socket) => void socket.end(),
    'is a web server': (socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'),
    'announces 2 GiB': (socket) => void socket.write(Buffer.from('ffffff7f0000000000000000dd070000', 'hex')),
    trickles: (socket) => {
      // Not zeros: for a message of length zero the driver would loop forever.
      socket.write(Buffer.from('00100000', 'hex'));
      const timer = setInterval(() => socket.write('x'), 10);
      socket.once('close', () => clearInterval(timer));
    },
  };

  it('causes a 503 for requests and nothing else, whatever it does, and delays no shutdown', async () => {
    let act: (socket: Socket) => void = () => undefined;
    const sockets = new Set<Socket>();
    const peer = createServer((socket) => {
      sockets.add(socket.on('error', () => undefined).once('close', () => sockets.delete(socket)));
      act(socket);
    }).listen(0, '127.0.0.1');
    await once(peer, 'listening');
    const { port } = peer.address() as AddressInfo;
    const uri = `mongodb://127.0.0.1:${port}/chat`;
    const service = await startService({ MONGODB_URI: uri, JWT_SECRET, LOG_LEVEL: 'fatal' });
    try {
      for (const [name, behaviour] of Object.entries(BEHAVIOURS)) {
        act = behaviour;
        for (const socket of sockets) socket.destroy();
        await once(peer, 'connection');
        const [ready, live] = await Promise.all(
          ['/health/ready', '/health/live'].map((path) =>
            fetch(service.url + path, { signal: AbortSignal.timeout(20_000) }),
          ),
        );
        expect([name, ready!.status, live!.status]).toEqual([name, 503, 200]);
      }
      act = BEHAVIOURS['never answers']!;
      await endsInTime(service);
    } finally {
      service.process.kill('SIGKILL');
      for (const socket of sockets) socket.destroy();
      peer.close();
    }
  });
});
