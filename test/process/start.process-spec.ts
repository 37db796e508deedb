import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { mongo } from 'mongoose';
import { type EmbeddedMongo, createEmbeddedMongo } from 'avatar-chat-embedded-mongo';
import { startFakeOpenAi } from '../support/fake-openai.js';
import { printed, run, type Service, startService } from '../support/index.js';

let directory: string;
let services: Service[];
let database: EmbeddedMongo | undefined;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'start-'));
  services = [];
});
afterEach(async () => {
  for (const { process, ended } of services) {
    process.kill('SIGKILL');
    await ended;
  }
  await database?.close();
  database = undefined;
  rmSync(directory, { recursive: true });
});

const start = async (env: Record<string, string> = {}) => {
  const service = await startService({ DATA_DIR: directory, ...env });
  services.push(service);
  // It listens before it has loaded its projects, which shows on a busy machine.
  for (let i = 0; i < 200 && (await fetch(`${service.url}/health/ready`)).status !== 200; i++) await delay(100);
  return service;
};
const token = async ({ url }: Service, user_id = 'ann') => {
  const response = await fetch(`${url}/jwt`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ user_id }),
  });
  return ((await response.json()) as { jwt: string }).jwt;
};
const get = (url: string, jwt: string) => fetch(url, { headers: { authorization: `Bearer ${jwt}` } });

describe('a start without any configuration', () => {
  it('prints one line with the address and the store, and serves', async () => {
    const service = await start({ LOG_LEVEL: 'warn' });
    expect(service.output.out).toMatch(
      /^Avatar chat service listening on http:\/\/127\.0\.0\.1:\d+ \(MONGODB_URI is not set: embedded store in .*\)\n$/,
    );
    expect(service.output.err).toBe('');
    const jwt = await token(service);
    const answer = await get(`${service.url}/connection`, jwt);
    expect(answer.status).toBe(200);
    const { avatars_info } = (await answer.json()) as { avatars_info: { idleVideo: string }[] };
    const video = await fetch(avatars_info[0]!.idleVideo, { headers: { range: 'bytes=0-99' } });
    expect({
      status: video.status,
      type: video.headers.get('content-type'),
      length: (await video.arrayBuffer()).byteLength,
    }).toEqual({
      status: 206,
      type: 'video/webm',
      length: 100,
    });
  });

  it('exits on SIGTERM with code 0, and finds its secret and its data again', async () => {
    const first = await start({ LOG_LEVEL: 'warn' });
    const jwt = await token(first);
    const { session } = (await (await get(`${first.url}/connection`, jwt)).json()) as { session: string };
    expect(session).toHaveLength(22);
    first.process.kill('SIGTERM');
    expect(await first.ended).toBe(0);
    const second = await start({ LOG_LEVEL: 'info' });
    expect((await get(`${second.url}/chat?user_id=ann`, jwt)).status).toBe(200);
    expect(second.output.out).not.toMatch(/has been given the catalogue/);
    expect(readdirSync(directory).sort()).toEqual(['database', 'jwt-secret']);
  });

  it('reads no package a second time that its bundle has', async () => {
    const [preload, list] = [join(directory, 'preload.cjs'), join(directory, 'loaded.json')];
    const write = `require('node:fs').writeFileSync(${JSON.stringify(list)}, JSON.stringify(Object.keys(require.cache)))`;
    writeFileSync(preload, `process.once('exit', () => ${write});`);
    const service = await start({ NODE_OPTIONS: `--require ${preload}` });
    service.process.kill('SIGTERM');
    expect(await service.ended).toBe(0);
    const packageOf = (path: string) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? '';
    const read = (JSON.parse(readFileSync(list, 'utf8')) as string[]).map(packageOf);
    expect(read).toContain('pino');
    const bundle = readdirSync('dist/programs').map((file) => readFileSync(join('dist/programs', file), 'utf8'));
    const bundled = bundle.flatMap((code) => code.match(/^ *\/\/ node_modules\/.*$/gm) ?? []).map(packageOf);
    expect(bundled).toContain('class-validator');
    expect([...new Set(read.filter((name) => bundled.includes(name)))]).toEqual([]);
  });
});

describe('a start in production', () => {
  it('warns of discouraged settings', async () => {
    const service = await start({
      NODE_ENV: 'production',
      MONGODB_URI: `embedded:${join(directory, 'db')}`,
      PUBLIC_URL: 'https://chat.test',
      JWT_SECRET: 'a secret of this test with 32 bytes or more',
    });
    expect(service.output.out).toMatch(/"level":40.*MONGODB_URI names the embedded store/);
    // On a busy machine it listens before it has loaded its projects.
    await printed(service, /"level":40.*Anyone who asks gets a token \(token_policy open\) in 1 project: default/);
  });
});

describe('a failing start', () => {
  it.each<[string, Record<string, string>, RegExp]>([
    [
      'bad settings',
      { PORT: 'x', LOG_LEVEL: 'y' },
      /^The configuration cannot be used:\n {2}PORT .*\n {2}LOG_LEVEL .*\n$/,
    ],
    [
      'production without a database and a secret',
      { NODE_ENV: 'production' },
      /MONGODB_URI must be set[\s\S]*PUBLIC_URL must be set[\s\S]*JWT_SECRET must be set/,
    ],
    ['a missing catalogue', { CATALOGUE_FILE: 'none.json' }, /CATALOGUE_FILE: cannot be read/],
  ])('because of %s reports it on standard error and exits with code 1', async (_, env, message) => {
    const running = run('dist/programs/main.js', [], { PORT: '0', DATA_DIR: directory, LOG_LEVEL: 'fatal', ...env });
    expect(await running.ended).toBe(1);
    // If a start takes longer than five seconds on a busy machine, it listens before it finds out, and logs it.
    const isLate = running.output.out.includes('listening');
    expect(isLate ? running.output.out : running.output.err).toMatch(message);
    expect(isLate ? running.output.err : running.output.out).toBe('');
  });

  it('because of a faulty catalogue names each fault with its path, and leaves the database empty', async () => {
    const file = join(directory, 'catalogue.json');
    writeFileSync(
      file,
      JSON.stringify({ projects: [{ project_id: 'default', avatars: ['none'], languages: ['xx'] }] }),
    );
    const running = run('dist/programs/main.js', [], {
      PORT: '0',
      DATA_DIR: directory,
      LOG_LEVEL: 'fatal',
      CATALOGUE_FILE: file,
    });
    expect(await running.ended).toBe(1);
    expect(running.output.err).toBe(
      'The catalogue cannot be used:\n  projects[0].avatars[0]: there is no avatar "none"\n  projects[0].languages[0]: there is no language "xx"\n',
    );
    expect((await start()).output.out).toMatch(/listening/);
  });

  it('because of an index that the stored documents violate names the collection and the fields, never their values', async () => {
    database = await createEmbeddedMongo({ path: join(directory, 'db') });
    const client = await mongo.MongoClient.connect(database.uri);
    const message = { project_id: 'default', user_id: 'ann-marie', idempotency_key: 'key-of-ann' };
    await client
      .db('chat')
      .collection('messages')
      .insertMany([{ ...message }, { ...message }]);
    await client.close();
    const env = {
      PORT: '0',
      DATA_DIR: directory,
      MONGODB_URI: database.uri.replace('/?', '/chat?'),
      LOG_LEVEL: 'trace',
    };
    const programs = [run('dist/main.js', [], env), run('dist/cli.js', ['project', 'list'], env)];
    for (const program of programs) {
      expect(await program.ended).toBe(1);
      // A slow start has continued meanwhile, and reports it in the log.
      const said = program.output.out + program.output.err;
      expect(said).toMatch(
        /The database refused an index of the collection messages: DuplicateKey \(11000\)\. Documents share a key of project_id, user_id, idempotency_key, which has to be unique/,
      );
      expect(said).not.toMatch(/ann-marie|key-of-ann/);
    }
  });

  it('because of a port in use reports it', async () => {
    const { url } = await start();
    const running = run('dist/programs/main.js', [], {
      PORT: new URL(url).port,
      DATA_DIR: join(directory, 'other'),
    });
    expect(await running.ended).toBe(1);
    expect(running.output.err).toBe(
      `PORT ${new URL(url).port} of 127.0.0.1 is in use already: choose another one, or stop the program that uses it\n`,
    );
    expect(running.output.out).not.toContain('EADDRINUSE');
  });
});

describe('a stop', () => {
  it('serves a request that had arrived, then refuses new ones, and exits although connections stay open', async () => {
    const said = new Set<string>();
    // On a busy machine, the test may sleep through the time in which the service refuses.
    for (let n = 0; n < 5 && !said.has('503, close'); n++) for (const each of await saidWhileStopping()) said.add(each);
    expect([...said].sort()).toEqual(['200, close', '503, close']);
  });

  /** What requests on connections that were open before get from the moment in which the service is not ready. */
  async function saidWhileStopping(): Promise<string[]> {
    const service = await start({ LOG_LEVEL: 'info' });
    const open = async () => {
      const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
      await once(socket, 'connect');
      const received: Buffer[] = [];
      socket.on('data', (chunk: Buffer) => received.push(chunk)).on('error', () => {});
      return { socket, text: () => Buffer.concat(received).toString() };
    };
    const body = '{"user_id":"ann"}';
    const slow = await open();
    slow.socket.write(
      `POST /jwt HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 5)}`,
    );
    const idle = await open();
    const others = [];
    for (let n = 0; n < 150; n++) others.push(await open());
    const ready = () => fetch(`${service.url}/health/ready`);
    expect((await ready()).status).toBe(200);
    service.process.kill('SIGTERM');
    while ((await ready()).status === 200);
    for (const { socket } of others) {
      if (!socket.destroyed) socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n');
      await delay(20);
    }
    slow.socket.write(body.slice(5));
    expect(await service.ended).toBe(0);
    expect(slow.text()).toMatch(/^HTTP\/1\.1 200 OK[\s\S]*connection: close[\s\S]*"result":"success"/i);
    for (const { socket } of [slow, idle, ...others]) socket.destroy();
    return others
      .map(({ text }) => /^HTTP\/1\.1 (\d+)[\s\S]*?connection: (\S+)/i.exec(text()))
      .filter((found) => found !== null)
      .map(([, status, connection]) => `${status}, ${connection}`);
  }
});

describe('a shutdown in the middle of an answer', () => {
  it('ends the stream with an error, stores what was said, and allows a retry', async () => {
    const model = await startFakeOpenAi();
    const catalogue = JSON.parse(readFileSync('catalogue/default.json', 'utf8'));
    catalogue.avatars[0].engine = { kind: 'openai', base_url: model.base_url, model: 'm', system_prompt: 'Count.' };
    const file = join(directory, 'catalogue.json');
    writeFileSync(file, JSON.stringify(catalogue));
    const first = await start({ LOG_LEVEL: 'warn', CATALOGUE_FILE: file });
    const jwt = await token(first);
    const response = await fetch(`${first.url}/chat`, {
      method: 'POST',
      headers: { authorization: `Bearer ${jwt}`, 'content-type': 'application/json', accept: 'text/event-stream' },
      body: JSON.stringify({ avatar_id: catalogue.avatars[0]._id, request: 'Count for ever.' }),
    });
    let text = '';
    for await (const chunk of response.body!) {
      text += Buffer.from(chunk as Uint8Array).toString();
      if (text.includes('"3 "') && !first.process.killed) first.process.kill('SIGTERM');
    }
    await model.stop();
    expect(await first.ended).toBe(0);
    expect(text).toMatch(
      /event: error\ndata: \{"result":"failure","status":503,"error":"service_unavailable".*\}\n\n$/,
    );
    const second = await start({ LOG_LEVEL: 'warn' });
    const { payload } = (await (await get(`${second.url}/chat?user_id=ann`, jwt)).json()) as {
      payload: { answer?: string }[];
    };
    expect(payload).toHaveLength(2);
    expect(payload[0]!.answer).toMatch(/^1 2 3 /);
    expect(model.requests[0].messages.at(-1)).toEqual({ role: 'user', content: 'Count for ever.' });
  });
});

describe('the log', () => {
  it('has one line per request, with no token, query or user in it', async () => {
    const service = await start({ LOG_LEVEL: 'trace' });
    const jwt = await token(service, 'user-not-to-be-logged');
    await get(`${service.url}/chat?user_id=user-not-to-be-logged&per_page=0`, jwt);
    await get(`${service.url}/connection`, `${jwt}x`);
    await fetch(`${service.url}/nowhere?secret=1`);
    service.process.kill('SIGTERM');
    await service.ended;
    const lines = service.output.out
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line));
    // Health checks come from the helper that waits for the start.
    const requests = lines.filter(({ route }) => route && !route.startsWith('/health'));
    expect(requests.map(({ method, route, status }) => `${method} ${route} ${status}`)).toEqual([
      'POST /jwt 200',
      'GET /chat 400',
      'GET /connection 401',
      'GET none 404',
    ]);
    for (const line of requests)
      expect(Object.keys(line).sort()).toEqual([
        'level',
        'method',
        'ms',
        'request_id',
        'route',
        'status',
        'time',
        'trace_id',
      ]);
    expect(service.output.out + service.output.err).not.toMatch(/not-to-be-logged|secret=|eyJ/);
  });
});
