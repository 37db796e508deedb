import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Service, startService } from '../support/processes.mjs';

/** A file size limit, beyond which writes fail; any user may set it for itself. */
const FILE_BYTES = 7 * 1024 * 1024;

describe('the service on a full disk', () => {
  let directory: string;
  let service: Service;
  const start = async () => {
    service = await startService(
      { DATA_DIR: directory, JWT_SECRET: 'full-disk-'.repeat(5), RATE_LIMIT: 'off', LOG_LEVEL: 'warn' },
      { fileBytes: FILE_BYTES },
    );
    // It listens before it has loaded its projects.
    while ((await fetch(`${service.url}/health/ready`)).status !== 200) await delay(50);
  };
  const stop = async () => {
    service.process.kill('SIGTERM');
    expect(await service.ended).toBe(0);
    // LMDB must never find the disk full itself: its message of that damages the process's memory.
    expect(service.output.err).not.toMatch(/Write error|Input\/output error|mdb_page_spill/);
  };
  const ask = async (path: string, jwt: string, body?: object) => {
    const response = await fetch(service.url + path, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${jwt}`, 'content-type': 'application/json' },
      body: body && JSON.stringify(body),
    });
    return {
      status: response.status,
      retryAfter: response.headers.get('retry-after'),
      body: (await response.json()) as any,
    };
  };
  const token = async () => (await ask('/jwt', '', { user_id: 'ann' })).body.jwt as string;
  const say = (jwt: string, request: string) => ask('/chat', jwt, { avatar_id: 'ada', request });
  /** The first answer that is not a success, while long messages fill the disk. */
  const refusal = async (jwt: string) => {
    for (let i = 0; i < 80; i++) {
      const answers = await Promise.all(Array.from({ length: 8 }, () => say(jwt, 'x'.repeat(8_000))));
      const other = answers.find(({ status }) => status !== 201);
      if (other) return other;
    }
    return undefined;
  };
  const refused = {
    status: 503,
    retryAfter: expect.stringMatching(/^\d+$/),
    body: expect.objectContaining({ error: 'service_unavailable' }),
  };
  const history = '/chat?user_id=ann&per_page=3';

  beforeAll(() => (directory = mkdtempSync(join(tmpdir(), 'full-disk-'))));
  afterAll(() => {
    service.process.kill('SIGKILL');
    rmSync(directory, { recursive: true, force: true });
  });

  it('keeps reading and refuses writes, even if it is started that way', async () => {
    await start();
    let jwt = await token();
    expect(await say(jwt, 'before')).toMatchObject({ status: 201 });
    expect(await refusal(jwt)).toEqual(refused);
    const before = await ask(history, jwt);
    expect(before).toMatchObject({ status: 200 });
    await stop();
    await start();
    jwt = await token();
    expect(await ask(history, jwt)).toEqual(before);
    expect(await refusal(jwt)).toEqual(refused);
    expect(await ask(history, jwt)).toMatchObject({ status: 200 });
    await stop();
  }, 120_000);
});
