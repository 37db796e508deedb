import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getConnectionToken } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import {
  aUser,
  createTestApp,
  onEachServer,
  type Running,
  type Service,
  startDatabase,
  startService,
} from '../support/index.js';

onEachServer((server) => {
  it('two applications on one database share a limit', async () => {
    const rateLimits = { enabled: true, reads: 10 };
    const one = await createTestApp({ server, config: { rateLimits } });
    const { database, jwtSecret } = one.config;
    const two = await createTestApp({ server, clock: one.clock, config: { rateLimits, database, jwtSecret } });
    try {
      const user_id = aUser();
      const token = await one.token(user_id);
      const counts = one.app.get<Connection>(getConnectionToken()).collection('rate_limits');
      const counted = async (hits: number) => {
        const _id = new RegExp(`^reads default/${user_id} `) as never;
        while ((await counts.findOne({ _id }))?.hits !== hits) await new Promise((resolve) => setTimeout(resolve, 10));
      };
      const read = async (test: typeof one) => (await test.call({ path: `/chat?user_id=${user_id}`, token })).status;
      for (let n = 1; n <= 10; n++) {
        expect(await read(one)).toBe(200);
        await counted(n);
      }
      expect(await read(one)).toBe(429);
      let more = 0;
      while ((await read(two)) === 200) await counted(10 + ++more);
      expect(more).toBeLessThan(5);
      const [count] = await counts.find().toArray();
      expect(count!.expires_at.getTime()).toBeGreaterThan(one.clock.now());
      expect(await counts.indexes()).toContainEqual(
        expect.objectContaining({ key: { expires_at: 1 }, expireAfterSeconds: 0 }),
      );
    } finally {
      await two.close();
      await one.close();
    }
  });
});

describe('two processes', () => {
  let directory: string;
  let database: Running & { uri: string };
  let services: Service[] = [];
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'shared-'));
    database = await startDatabase(':memory:', 0);
    const env = {
      MONGODB_URI: database.uri,
      DATA_DIR: directory,
      LOG_LEVEL: 'silent',
      JWT_SECRET: randomBytes(32).toString('hex'),
      RATE_LIMIT: 'on',
      RATE_LIMIT_JWT: '40',
      RATE_LIMIT_READS: '40',
      TRUST_PROXY: 'loopback',
    };
    services = await Promise.all([startService(env), startService(env)]);
  });
  afterAll(async () => {
    for (const running of [...services, database]) {
      running.process.kill('SIGKILL');
      await running.ended;
    }
    rmSync(directory, { recursive: true });
  });

  const tokenFrom = (service: Service, address: string, user_id = 'ann') =>
    fetch(`${service.url}/jwt`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
      body: JSON.stringify({ user_id }),
    });
  const connectionOf = (service: Service, token: string) =>
    fetch(`${service.url}/connection`, { headers: { authorization: `Bearer ${token}` } });
  const anAddress = () => `10.${[...randomBytes(3)].join('.')}`;
  /** Whether a response's window lasts longer than a test may take. */
  const lasts = (answer: Response) => Number(answer.headers.get('ratelimit-reset')) > 25;

  it('share a limit', async () => {
    let token: string;
    do {
      const answer = await tokenFrom(services[0]!, anAddress(), aUser());
      token = ((await answer.json()) as { jwt: string }).jwt;
    } while (!lasts(await connectionOf(services[0]!, token)));
    let admitted = 1;
    // If they counted separately, 80 would get through.
    for (let n = 0; n < 100; n++) if ((await connectionOf(services[n % 2]!, token)).ok) admitted++;
    expect(admitted).toBeGreaterThanOrEqual(40);
    expect(admitted).toBeLessThan(60);
  });

  it('continue to issue tokens and count them when the database is gone', async () => {
    database.process.kill('SIGKILL');
    await database.ended;
    for (const service of services) {
      let address: string;
      do address = anAddress();
      while (!lasts(await tokenFrom(service, address)));
      const statuses = [];
      for (let n = 0; n < 50; n++) statuses.push((await tokenFrom(service, address)).status);
      expect(statuses).toEqual(Array.from({ length: 50 }, (_, n) => (n < 39 ? 200 : 429)));
    }
  });
});
