/**
 * One user sends more requests than the limit to several processes at once, through 16 connections: how many get
 * through in one window? And how much does counting cost a request that is far from its limit?
 *
 *   npm run verify -- limits
 */
import { ask, keepAlive, metric, Report, startDatabase, startService, tokenOf } from './harness.mjs';

const LIMIT = 600;
const CLIENTS = 16;
const COSTED = 20_000;

const report = new Report('npm run verify -- limits');
const database = await startDatabase();

for (const processes of [1, 2, 4]) {
  const env = { MONGODB_URI: database.uri, RATE_LIMIT: 'on', RATE_LIMIT_READS: String(LIMIT) };
  const services = await Promise.all(Array.from({ length: processes }, () => startService(env)));
  const agent = keepAlive();
  let token;
  let first;
  do {
    token = await tokenOf(services[0].port, `user-${Math.random().toString(36).slice(2)}`);
    first = await ask(services[0].port, '/connection', { token });
  } while (Number(first.headers['ratelimit-reset']) < 40);
  let admitted = 1;
  let others = 0;
  let sent = 0;
  const client = async () => {
    while (sent < LIMIT * (processes + 1)) {
      const { status } = await ask(services[sent++ % processes].port, '/connection', { token, agent });
      if (status === 200) admitted++;
      else if (status !== 429) others++;
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  const most = processes === 1 ? LIMIT : LIMIT * 1.2;
  report.row(
    `${processes} process${processes > 1 ? 'es' : ''}, a limit of ${LIMIT}, one user at ${CLIENTS} connections: let through`,
    processes === 1 ? `${LIMIT}` : `≤ ${most}`,
    `${admitted}`,
    admitted >= LIMIT && admitted <= most && others === 0,
  );
  for (const service of services) await service.stop('SIGKILL');
}

const cost = async (RATE_LIMIT) => {
  const service = await startService({ MONGODB_URI: database.uri, RATE_LIMIT, RATE_LIMIT_JWT: '1000000' });
  const agent = keepAlive();
  const load = async (requests) => {
    const client = async () => {
      while (requests-- > 0) await ask(service.port, '/jwt', { method: 'POST', body: { user_id: 'ann' }, agent });
    };
    await Promise.all(Array.from({ length: CLIENTS }, client));
  };
  await load(COSTED / 4);
  const before = await metric(service.port, 'process_cpu_seconds_total');
  await load(COSTED);
  const seconds = (await metric(service.port, 'process_cpu_seconds_total')) - before;
  await service.stop('SIGKILL');
  return Math.round((seconds / COSTED) * 1e6);
};
const [off, on] = [await cost('off'), await cost('on')];
report.row('Processor time of a `POST /jwt`, limits off and on', 'for information', `${off} µs, ${on} µs`);
report.end();
