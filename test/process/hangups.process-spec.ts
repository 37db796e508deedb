import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { printed, run, type Running, startHostilePeer, startService } from '../support/index.js';

// Starts several processes, one after the other.
jest.setTimeout(240_000);

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
