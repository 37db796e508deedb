import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, type Running, type Service, startDatabase, startService } from '../support/index.js';

let directory: string;
let port: number;
let database: Running | undefined;
let service: Service;

const jwt = async (project_id?: string) => {
  const response = await fetch(`${service.url}/jwt`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ user_id: 'ann', project_id }),
  });
  return { status: response.status, body: (await response.json()) as { jwt: string; error: string } };
};
/** Status and code of a request. */
const ask = async (path: string, token = '') => {
  const response = await fetch(service.url + path, { headers: token ? { authorization: `Bearer ${token}` } : {} });
  const body = (await response.json()) as { error?: string };
  return {
    status: response.status,
    error: body.error,
    retryAfter: response.headers.get('retry-after'),
  };
};
const becomesReady = async () => {
  while ((await ask('/health/ready')).status !== 200) await new Promise((resolve) => setTimeout(resolve, 50));
};

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'away-'));
  port = await freePort();
});
afterEach(async () => {
  for (const running of [service, database]) {
    running?.process.kill('SIGCONT');
    running?.process.kill('SIGKILL');
    await running?.ended;
  }
  rmSync(directory, { recursive: true });
});

const startBoth = async () => {
  database = await startDatabase(join(directory, 'db'), port);
  service = await startService({
    MONGODB_URI: `mongodb://127.0.0.1:${port}/chat?directConnection=true`,
    DATA_DIR: directory,
    LOG_LEVEL: 'silent',
  });
  await becomesReady();
};
const UNAVAILABLE = { status: 503, error: 'service_unavailable', retryAfter: '1' };

/** Assertions while the database is unavailable, for whatever reason. */
async function expectRefusals(token: string): Promise<void> {
  for (const path of ['/chat?user_id=ann', '/connection', '/health/ready', '/chat?user_id=ann&before=x']) {
    const answer = await ask(path, token);
    expect({ path, ...answer }).toEqual({ path, ...UNAVAILABLE });
  }
  expect((await jwt()).status).toBe(200);
  expect(await jwt('never-seen')).toMatchObject({ status: 500, body: { error: 'token_generation_failed' } });
  expect((await ask('/health/live')).status).toBe(200);
  expect(await ask('/chat?user_id=bob', token)).toMatchObject({ status: 404, error: 'user_not_found' });
  expect(await ask('/chat?user_id=ann&page=0', token)).toMatchObject({ status: 400, error: 'invalid_page' });
  expect(await ask('/chat?user_id=ann')).toMatchObject({ status: 401, error: 'missing_token' });
}

describe('without its database', () => {
  it('responds with 503 to what needs it when it was killed, serves the rest, and recovers by itself', async () => {
    await startBoth();
    const token = (await jwt()).body.jwt;
    expect((await ask('/connection', token)).status).toBe(200);
    const inFlight = Array.from({ length: 50 }, () => ask('/chat?user_id=ann', token));
    database!.process.kill('SIGKILL');
    const outcomes = new Set(
      (await Promise.all(inFlight)).map(({ status, error }) => `${status} ${error ?? ''}`.trim()),
    );
    expect(['200', '503 service_unavailable']).toEqual(expect.arrayContaining([...outcomes]));
    await database!.ended;
    await expectRefusals(token);
    database = await startDatabase(join(directory, 'db'), port);
    await becomesReady();
    expect((await ask('/chat?user_id=ann', token)).status).toBe(200);
  });

  it('does so when it is frozen', async () => {
    await startBoth();
    const token = (await jwt()).body.jwt;
    expect((await ask('/connection', token)).status).toBe(200);
    database!.process.kill('SIGSTOP');
    await expectRefusals(token);
    database!.process.kill('SIGCONT');
    await becomesReady();
    expect((await ask('/connection', token)).status).toBe(200);
  });

  it('starts, and serves as soon as it is available', async () => {
    service = await startService({
      MONGODB_URI: `mongodb://127.0.0.1:${port}/chat?directConnection=true`,
      DATA_DIR: directory,
      LOG_LEVEL: 'silent',
    });
    expect(await ask('/health/ready')).toMatchObject(UNAVAILABLE);
    expect(await jwt()).toMatchObject({ status: 500, body: { error: 'token_generation_failed' } });
    database = await startDatabase(join(directory, 'db'), port);
    await becomesReady();
    expect((await ask('/connection', (await jwt()).body.jwt)).status).toBe(200);
  });

  it('starts, and exits with 1 and the reason if it becomes available and cannot be used', async () => {
    service = await startService({
      MONGODB_URI: `mongodb://127.0.0.1:${port}/chat?directConnection=true`,
      DATA_DIR: directory,
      CATALOGUE_FILE: 'none.json',
      LOG_LEVEL: 'fatal',
    });
    database = await startDatabase(join(directory, 'db'), port);
    expect(await service.ended).toBe(1);
    expect(service.output.out).toMatch(/"level":60,.*CATALOGUE_FILE: cannot be read/);
  });
});
