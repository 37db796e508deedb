/**
 * A service with several workers that die at the worst moments: each round sends SIGHUP to the supervisor and kills old or
 * new workers while they are being replaced. In half of the rounds the first SIGHUP arrives before all workers listen. The
 * service has to respond after each round, with all its workers, and exit on SIGTERM with code 0.
 *
 *   npm run verify -- workers [--rounds 20] [--workers 3]
 */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from '../../scripts/arguments.mjs';
import { ask, freePort, launchService, LISTENING, printed, Report, startDatabase } from './harness.mjs';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '20' }, workers: { type: 'string', default: '3' } },
});
const [rounds, count] = [values.rounds, values.workers].map(Number);
const READY_LIMIT_MS = 120_000;
/** Node's cluster module never releases a connection that is on its way to a killed worker, so no request waits longer than this. */
const ANSWER_LIMIT_MS = 5000;

const report = new Report('npm run verify -- workers');
const database = await startDatabase();
const whole = [];
const codes = [];
let killed = 0;
let slowest = 0;

for (let round = 0; round < rounds; round++) {
  // Not 0, which would pick another port if for a moment no worker listens.
  const port = await freePort();
  const service = launchService({ MONGODB_URI: database.uri, WORKERS: String(count), PORT: String(port) });
  const { pid } = service;
  let isOver = false;
  void service.ended.then(() => (isOver = true));
  const children = () => {
    try {
      return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
    } catch {
      return [];
    }
  };
  const until = async (condition) => {
    const tooLate = Date.now() + READY_LIMIT_MS;
    while (!isOver && !(await condition())) {
      if (Date.now() > tooLate) return false;
      await sleep(50);
    }
    return !isOver;
  };
  if (round % 2 === 0) {
    // As soon as the supervisor has one worker: it handles signals by then, and the worker does not listen yet.
    await until(() => children().length > 0);
    process.kill(pid, 'SIGHUP');
  }
  await printed(service, LISTENING).catch(() => undefined);
  if (!isOver) process.kill(pid, 'SIGHUP');
  // The old workers one after the other, at various points of their replacement, then any that are left.
  for (const old of children()) {
    await sleep(Math.random() * 400);
    if (isOver) break;
    try {
      process.kill(Math.random() < 0.7 ? old : Number(children().at(-1)), 'SIGKILL');
      killed++;
    } catch {
      // It has already exited.
    }
  }
  const isWhole =
    !isOver &&
    (await until(async () => {
      const health = await Promise.race([
        ask(port, '/health/ready', { headers: { connection: 'close' } }),
        sleep(ANSWER_LIMIT_MS, { status: 0 }),
      ]);
      return children().length === count && health.status === 200;
    }));
  whole.push(isWhole);
  const signalled = performance.now();
  codes.push(isOver ? await service.ended : await service.stop('SIGTERM'));
  if (isWhole) slowest = Math.max(slowest, performance.now() - signalled);
}

const seen = whole.filter(Boolean).length;
report.row(
  `${count} workers, SIGHUP and ${killed} of them killed while they are replaced, ${rounds} times: rounds after which all are there again`,
  String(rounds),
  String(seen),
  seen === rounds,
);
report.row(
  'The same: from SIGTERM to the exit, at most',
  '≤ 5 s, with code 0',
  `${(slowest / 1000).toFixed(1)} s, code ${[...new Set(codes)].join(', ')}`,
  slowest <= 5000 && codes.every((code) => code === 0),
);
report.end();
