import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { printed, run, type Running, startHostilePeer, startService } from '../support/index.js';

let directory: string;
beforeAll(() => (directory = mkdtempSync(join(tmpdir(), 'hangups-'))));
afterAll(() => rmSync(directory, { recursive: true }));

const workersOf = ({ process: { pid } }: Running) =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);

it('workers may die while SIGHUP replaces them, and it may arrive before all of them listen', async () => {
  // Not 0, which would mean another port whenever no worker listens for a moment.
  const free = await startHostilePeer();
  await free.close();
  const service = run('dist/programs/main.js', [], {
    PORT: String(free.port),
    DATA_DIR: directory,
    WORKERS: '2',
    LOG_LEVEL: 'fatal',
  });
  try {
    while (workersOf(service).length === 0) await delay(20);
    service.process.kill('SIGHUP');
    await printed(service, /listening on .* with 2 workers/);
    // They have been replaced now.
    let workers: number[];
    while ((workers = workersOf(service)).length < 3) await delay(20);
    const former = workers.slice(0, 2);
    for (const pid of former) process.kill(pid, 'SIGKILL');
    do await delay(50);
    while ((workers = workersOf(service)).length !== 2 || workers.some((pid) => former.includes(pid)));
    // Node's cluster never completes a connection that was assigned to a worker when it was killed.
    const options = () => ({ headers: { connection: 'close' }, signal: AbortSignal.timeout(5000) });
    const health = () => fetch(`http://127.0.0.1:${free.port}/health/ready`, options()).catch(() => undefined);
    while ((await health())?.status !== 200) await delay(50);
    service.process.kill('SIGTERM');
    expect(await service.ended).toBe(0);
    expect(service.output.err.replace(/Worker \d+ has ended\n/g, '')).toBe('');
  } finally {
    service.process.kill('SIGKILL');
  }
});

it('a single process continues after SIGHUP, and logs that there was nothing to do', async () => {
  const single = await startService({ DATA_DIR: directory, LOG_LEVEL: 'warn' });
  try {
    single.process.kill('SIGHUP');
    await printed(single, /"msg":"SIGHUP replaces workers/);
    expect((await fetch(`${single.url}/health/live`)).status).toBe(200);
    single.process.kill('SIGTERM');
    expect(await single.ended).toBe(0);
  } finally {
    single.process.kill('SIGKILL');
  }
});

describe('a replaced worker', () => {
  const held: ServerResponse[] = [];
  const finish = () => {
    for (const response of held.splice(0)) response.end(`${chunk({}, 'stop')}data: [DONE]\n\n`);
  };
  const chunk = (delta: object, finish_reason: string | null = null) =>
    `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 0, model: 'm', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  const model = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(chunk({ content: 'Well' }));
    held.push(response);
  });
  afterAll(() => model.close());

  it('finishes its answers, unless all workers stop', async () => {
    await once(model.listen(0, '127.0.0.1'), 'listening');
    const service = await startService({
      DATA_DIR: directory,
      WORKERS: '2',
      LOG_LEVEL: 'fatal',
      OPENAI_MODEL: 'm',
      OPENAI_API_KEY: 'k',
      OPENAI_BASE_URL: `http://127.0.0.1:${(model.address() as AddressInfo).port}/v1`,
    });
    const call = (path: string, body: object, headers = {}) =>
      fetch(service.url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', connection: 'close', ...headers },
        body: JSON.stringify(body),
      });
    /** Two turns, one in each worker, while SIGHUP replaces the workers. */
    const askAndReplace = async () => {
      const turns = ['ann', 'bob'].map(async (user_id) => {
        const { jwt } = (await (await call('/jwt', { user_id })).json()) as { jwt: string };
        const turn = { avatar_id: 'ada', request: 'What is a black hole?' };
        return (await call('/chat', turn, { authorization: `Bearer ${jwt}` }).catch(() => undefined))?.status;
      });
      while (held.length < turns.length) await delay(20);
      const former = workersOf(service);
      service.process.kill('SIGHUP');
      while (workersOf(service).every((pid) => former.includes(pid))) await delay(20);
      return { former, turns };
    };
    try {
      const { former, turns } = await askAndReplace();
      // Longer than a shutdown takes.
      await delay(6000);
      finish();
      expect(await Promise.all(turns)).toEqual([201, 201]);
      while (workersOf(service).length !== 2 || workersOf(service).some((pid) => former.includes(pid))) await delay(50);
      const stopped = await askAndReplace();
      await delay(1000);
      service.process.kill('SIGTERM');
      expect(await service.ended).toBe(0);
      // On a busy machine, a connection may be closed before its response is known.
      for (const status of await Promise.all(stopped.turns)) expect([503, undefined]).toContain(status);
      expect(service.output.err).toBe('');
    } finally {
      service.process.kill('SIGKILL');
      finish();
    }
  });
});
