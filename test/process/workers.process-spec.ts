import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort, run, type Service, startService } from '../support/index.js';
import { LiveClient } from '../support/live-client.js';

let directory: string;
let service: Service;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'workers-'));
  service = await startService({ DATA_DIR: directory, WORKERS: '2', LOG_LEVEL: 'info' });
});
afterAll(async () => {
  service.process.kill('SIGKILL');
  await service.ended;
  rmSync(directory, { recursive: true });
});

/** Running child processes of the supervisor. */
const workers = ({ pid } = service.process) => {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
};
const untilWorkersAre = async (wanted: (pids: number[]) => boolean) => {
  while (!wanted(workers())) await delay(50);
};

let asked = 0;
/** Status of a `POST /jwt`, or the error code if there was no response. */
const newToken = (agent: Agent) =>
  new Promise<number | string>((resolve) => {
    asked++;
    const body = '{"user_id":"ann"}';
    const headers = { 'content-type': 'application/json', 'content-length': body.length };
    const call = request(`${service.url}/jwt`, { agent, method: 'POST', headers }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode!));
    });
    call.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    call.end(body);
  });

async function aToken({ url }: Service): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const issued = await fetch(`${url}/jwt`, { method: 'POST', headers, body: '{"user_id":"speaker"}' });
  return ((await issued.json()) as { jwt: string }).jwt;
}
const createdBy = ({ events }: LiveClient) => events.find(({ type }) => type === 'session.created')!;

/** Clients with keep-alive connections; returns their responses when they are stopped. */
const startClients = (count: number) => {
  const agent = new Agent({ keepAlive: true, maxSockets: count });
  const outcomes: (number | string)[] = [];
  let stopped = false;
  const client = async () => {
    while (!stopped) {
      outcomes.push(await newToken(agent));
      await delay(10);
    }
  };
  const running = Promise.all(Array.from({ length: count }, client));
  return async () => {
    stopped = true;
    await running;
    agent.destroy();
    return outcomes;
  };
};

describe('several workers', () => {
  it('print one start line, share the port, and count together', async () => {
    expect(service.output.out.match(/listening on http:\S+ .* with 2 workers\n/g)).toHaveLength(1);
    expect(workers()).toHaveLength(2);
    // Each on a new connection; these are assigned to the workers in turn.
    for (let n = 0; n < 6; n++) expect(await newToken(new Agent())).toBe(200);
    for (let n = 0; n < 2; n++) {
      const metrics = await (await fetch(`${service.url}/metrics`, { headers: { connection: 'close' } })).text();
      expect(metrics).toContain('http_request_duration_seconds_count{method="POST",route="/jwt",status="200"} 6');
    }
  });

  it('resume live conversations of each other', async () => {
    const { port } = service;
    asked++;
    const jwt = await aToken(service);
    let client = await LiveClient.open(port, 'model=ada', jwt);
    const { session } = createdBy(client);
    // Connections go to the workers in turn.
    for (let n = 0; n < 12; n++) {
      client.socket.terminate();
      if (n % 3 === 0) await newToken(new Agent());
      client = await LiveClient.open(port, `model=ada&resume=${session.id}`, jwt);
      expect(createdBy(client)).toMatchObject({ session: { id: session.id }, resumed: true });
    }
    client.send({ type: 'session.update', session: { type: 'realtime', output_modalities: ['text'] } });
    client.send({ type: 'response.create' });
    expect((await client.next('response.done')).response.status).toBe('completed');
    client.socket.close();
    await client.closed;
  });

  it('are replaced one by one on SIGHUP, without any effect on clients', async () => {
    const before = workers();
    const stop = startClients(8);
    await delay(200);
    service.process.kill('SIGHUP');
    await untilWorkersAre((pids) => pids.length === 2 && !pids.some((pid) => before.includes(pid)));
    const metrics = await fetch(`${service.url}/metrics`);
    expect(metrics.status).toBe(200);
    const outcomes = await stop();
    expect(outcomes.filter((outcome) => outcome !== 200)).toEqual([]);
    expect(outcomes.length).toBeGreaterThan(50);
  });

  it('that cannot start say so once, and exit with code 1', async () => {
    const { port } = new URL(service.url);
    const second = run('dist/programs/main.js', [], {
      PORT: port,
      DATA_DIR: directory,
      WORKERS: '3',
    });
    expect(await second.ended).toBe(1);
    expect(second.output.err.match(/PORT \d+ of 127\.0\.0\.1 is in use already/g)).toHaveLength(1);
    expect(second.output.out).not.toContain('EADDRINUSE');
  });

  it('are replaced when one dies, while the other serves', async () => {
    const [killed, other] = workers();
    process.kill(killed!, 'SIGKILL');
    await untilWorkersAre((pids) => !pids.includes(killed!));
    expect(await newToken(new Agent())).toBe(200);
    await untilWorkersAre((pids) => pids.length === 2);
    expect(workers()).toContain(other);
    expect(service.output.err).toBe(`Worker ${killed} has ended\n`);
  });

  it('stop together on SIGTERM, with code 0, and have written whole log lines', async () => {
    const stop = startClients(16);
    await delay(1000);
    await stop();
    const before = workers();
    service.process.kill('SIGTERM');
    expect(await service.ended).toBe(0);
    for (const pid of before) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    const lines = service.output.out.trim().split('\n');
    const requests = lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
    expect(requests.filter(({ route }) => route === '/jwt')).toHaveLength(asked);
  });
});

it('a live conversation of a worker that was killed begins anew', async () => {
  const path = mkdtempSync(join(tmpdir(), 'workers-killed-'));
  // Not 0: as long as no worker listens, the port would be given up.
  const killed = await startService({ DATA_DIR: path, WORKERS: '2', PORT: String(await freePort()) });
  const { port } = killed;
  const jwt = await aToken(killed);
  const client = await LiveClient.open(port, 'model=ada', jwt);
  const { id } = createdBy(client).session;
  client.socket.terminate();
  // Its loss is stored.
  await delay(1000);
  const before = workers(killed.process);
  for (const pid of before) process.kill(pid, 'SIGKILL');
  while (workers(killed.process).filter((pid) => !before.includes(pid)).length < 2) await delay(50);
  const resumed = async (): Promise<LiveClient> =>
    LiveClient.open(port, `model=ada&resume=${id}`, jwt).catch((error: unknown) => {
      // Until the workers are replaced, nobody answers.
      expect(String(error)).not.toContain('409');
      return delay(100).then(resumed);
    });
  const begun = await resumed();
  expect(createdBy(begun).session.id).not.toBe(id);
  begun.socket.close();
  await begun.closed;
  expect(await killed.stop()).toBe(0);
  rmSync(path, { recursive: true });
});

describe('workers whose settings stand in .env', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'workers-env-'))));
  afterEach(() => rmSync(folder, { recursive: true }));
  const secrets = (current: string, others: readonly string[] = []) => {
    const lines = ['WORKERS=2', `DATA_DIR=${join(folder, 'data')}`, `JWT_SECRET=${current.repeat(32)}`];
    if (others.length > 0) lines.push(`JWT_PREVIOUS_SECRETS=${others.map((secret) => secret.repeat(32)).join(',')}`);
    writeFileSync(join(folder, '.env'), lines.join('\n'));
  };

  it('read its present content when they are replaced, and stay if it is invalid', async () => {
    secrets('a');
    const { url, process: supervisor, output, ended } = await startService({}, { cwd: folder });
    const pids = () =>
      readFileSync(`/proc/${supervisor.pid}/task/${supervisor.pid}/children`, 'utf8').trim().split(' ');
    const replaceAll = async () => {
      const before = pids();
      supervisor.kill('SIGHUP');
      while (pids().length !== 2 || pids().some((pid) => before.includes(pid))) await delay(50);
    };
    const tokenOf = async () => {
      const headers = { 'content-type': 'application/json', connection: 'close' };
      const answer = await fetch(`${url}/jwt`, { method: 'POST', headers, body: '{"user_id":"ann"}' });
      return ((await answer.json()) as { jwt: string }).jwt;
    };
    const statusFor = async (token: string) =>
      (await fetch(`${url}/connection`, { headers: { authorization: `Bearer ${token}`, connection: 'close' } })).status;
    const old = await tokenOf();

    secrets('b', ['a']);
    await replaceAll();
    const fresh = await tokenOf();
    expect(await statusFor(old)).toBe(200);

    secrets('b');
    await replaceAll();
    expect(await statusFor(old)).toBe(401);
    expect(await statusFor(fresh)).toBe(200);

    writeFileSync(join(folder, '.env'), 'RATE_LIMIT=maybe');
    const stay = pids();
    supervisor.kill('SIGHUP');
    while (!output.err.includes('those that are not yet replaced stay')) await delay(50);
    expect(output.err).toContain('RATE_LIMIT');
    expect(pids()).toEqual(stay);
    expect(await statusFor(fresh)).toBe(200);

    supervisor.kill('SIGTERM');
    expect(await ended).toBe(0);
  });
});
