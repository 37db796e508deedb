import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Running, type Service, startDatabase, startService } from '../support/index.js';

const BODY = '{"user_id":"ann"}';

/** Status of a `POST /jwt`; the error code if there was no response. */
const newToken = (port: number, agent: Agent) =>
  new Promise<number | string>((resolve) => {
    const headers = { 'content-type': 'application/json', 'content-length': BODY.length };
    const call = request({ host: '127.0.0.1', port, agent, method: 'POST', path: '/jwt', headers }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode!));
    });
    call.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    call.end(BODY);
  });

/** Two processes as seen by a load balancer. */
describe('two processes that are restarted in turn', () => {
  let directory: string;
  let database: Running & { uri: string };
  let services: Service[] = [];
  const agent = new Agent({ keepAlive: true });
  const healthy = [true, true];
  let watch: NodeJS.Timeout;
  const start = (PORT = '0') =>
    startService({
      PORT,
      MONGODB_URI: database.uri,
      DATA_DIR: directory,
      LOG_LEVEL: 'silent',
      JWT_SECRET: SECRET,
    });
  const SECRET = randomBytes(32).toString('hex');
  const portOf = ({ url }: Service) => Number(new URL(url).port);

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'restart-'));
    database = await startDatabase(':memory:', 0);
    services = await Promise.all([start(), start()]);
    watch = setInterval(() => {
      services.forEach(({ url }, n) =>
        fetch(`${url}/health/ready`).then(
          ({ status }) => (healthy[n] = status === 200),
          () => (healthy[n] = false),
        ),
      );
    }, 200);
  });
  afterAll(async () => {
    clearInterval(watch);
    agent.destroy();
    for (const running of [...services, database]) {
      running.process.kill('SIGKILL');
      await running.ended;
    }
    rmSync(directory, { recursive: true });
  });

  it('lose no request', async () => {
    const lost: (number | string)[] = [];
    let answered = 0;
    let stopped = false;
    /** Tries the other process only if the first has refused the connection or the request. */
    const client = async () => {
      for (let n = 0; !stopped; n++) {
        const first = healthy[n % 2] ? n % 2 : (n + 1) % 2;
        let outcome = await newToken(portOf(services[first]!), agent);
        if (outcome === 503 || outcome === 'ECONNREFUSED') {
          healthy[first] = false;
          outcome = await newToken(portOf(services[1 - first]!), agent);
        }
        if (outcome === 200) answered++;
        else lost.push(outcome);
        await delay(5);
      }
    };
    const clients = Array.from({ length: 8 }, client);
    for (const n of [0, 1]) {
      await delay(300);
      const { process, ended, url } = services[n]!;
      process.kill('SIGTERM');
      expect(await ended).toBe(0);
      services[n] = await start(new URL(url).port);
      while (!healthy[n]) await delay(50);
    }
    stopped = true;
    await Promise.all(clients);
    expect(lost).toEqual([]);
    expect(answered).toBeGreaterThan(100);
  });
});
