import { setTimeout as delay } from 'node:timers/promises';
import { AggregatorRegistry } from 'prom-client';
import { SupervisedWorker } from './supervised.worker.js';

/** Milliseconds before a worker that has ended is replaced: doubled while new ones end early, too. */
const PAUSE = 500;
const LONGEST_PAUSE = 30_000;
/** A worker that has run for so many milliseconds did not end because it could not start. */
const SETTLED = 10_000;
/** How long a worker that is to replace another may take until it listens, in milliseconds. */
const START_LIMIT_MS = 120_000;
/** How long a question after the metrics of all waits for workers that are starting, in milliseconds. */
const METRICS_LIMIT_MS = 5000;

/**
 * Keeps `count` processes serving one port, and starts another where one ends. SIGTERM and SIGINT stop all; SIGHUP
 * replaces them one by one, each by one that listens already. Workers may end, or fail to start, in the midst of it.
 */
export async function superviseWorkers(count: number): Promise<void> {
  const metrics = new AggregatorRegistry();
  /** All that run. */
  const running = new Set<SupervisedWorker>();
  /** Without those that have been told to go. */
  const workers = new Set<SupervisedWorker>();
  /** A worker takes no question while its modules load. */
  const starting = new Set<Promise<unknown>>();
  let stopping = false;
  let pause = PAUSE;

  const answer = async (worker: SupervisedWorker, request: number): Promise<void> => {
    await Promise.race([Promise.all(starting), delay(METRICS_LIMIT_MS, undefined, { ref: false })]);
    const text = await metrics.clusterMetrics().catch(() => undefined);
    worker.send({ metricsFor: request, text });
  };
  /** @returns undefined where the system has no process to spare. */
  const start = (): SupervisedWorker | undefined => {
    let worker: SupervisedWorker;
    try {
      worker = new SupervisedWorker((asking, request) => void answer(asking, request));
    } catch {
      failed('A worker could not be started', performance.now());
      return undefined;
    }
    running.add(worker);
    workers.add(worker);
    void worker.ended.then(() => {
      running.delete(worker);
      if (workers.delete(worker) && !stopping) failed(`Worker ${worker.pid} has ended`, worker.startedAt);
    });
    return worker;
  };
  /** The line that a worker has for print; undefined where it ended before it listened, or takes too long. */
  const untilListening = async (worker: SupervisedWorker | undefined): Promise<string | undefined> => {
    if (!worker) return undefined;
    const late = delay(START_LIMIT_MS, undefined, { ref: false });
    const line = Promise.race([worker.listening, worker.ended.then(() => undefined), late]);
    starting.add(line);
    return line.finally(() => starting.delete(line));
  };
  const failed = (what: string, startedAt: number): void => {
    pause = performance.now() - startedAt > SETTLED ? PAUSE : Math.min(pause * 2, LONGEST_PAUSE);
    console.error(what);
    void refill();
  };
  const refill = async (): Promise<void> => {
    await delay(pause);
    if (stopping || workers.size >= count) return;
    const worker = start();
    // One that hangs is no worker; when it has ended another takes its place.
    if ((await untilListening(worker)) === undefined) await worker?.end();
  };

  const stop = async (code: number): Promise<void> => {
    if (stopping) return;
    stopping = true;
    // Also those that have been told to go and are still answering.
    await Promise.all([...running].map((worker) => worker.end()));
    process.exit(code);
  };
  process.on('SIGTERM', () => void stop(0));
  process.on('SIGINT', () => void stop(0));

  const replace = async (old: SupervisedWorker): Promise<void> => {
    const fresh = start();
    const listens = (await untilListening(fresh)) !== undefined;
    if (stopping) return;
    if (fresh && !listens && workers.delete(fresh)) {
      console.error(`Worker ${fresh.pid} does not listen; the one that it was to replace stays`);
      await fresh.end();
    }
    // It may have ended meanwhile, and then the new one stands in its place already.
    if (listens && workers.delete(old)) await old.end(() => old.send({ replaced: true }));
    if (workers.size < count) void refill();
  };
  const replaceAll = async (): Promise<void> => {
    const former = [...workers];
    for (const old of former) if (!stopping && workers.has(old)) await replace(old);
  };
  let begun = (): void => undefined;
  let replacing = new Promise<void>((resolve) => (begun = resolve));
  let isAsked = false;
  // From the beginning, for by default it would end this process; it waits until all workers listen.
  process.on('SIGHUP', () => {
    if (isAsked) return;
    isAsked = true;
    replacing = replacing.then(() => {
      isAsked = false;
      return replaceAll();
    });
  });

  // The first alone: what stops one stops all, and need be said once.
  const line = await untilListening(start());
  if (stopping) return;
  if (line === undefined) return stop(1);
  await Promise.all(Array.from({ length: count - 1 }, () => untilListening(start())));
  if (stopping) return;
  console.log(`${line} with ${count} workers`);
  begun();
}
