import { setTimeout as delay } from 'node:timers/promises';
import { AggregatorRegistry } from 'prom-client';
import { SupervisedWorker } from './supervised.worker.js';

/** Backoff before a worker that has exited is replaced, in milliseconds: doubled while new ones exit early, too. */
const PAUSE_MS = 500;
const MAX_PAUSE_MS = 30_000;
/** Uptime in milliseconds after which an exit is not a failed start. */
const SETTLED_MS = 10_000;
/** Startup timeout of a replacement worker, in milliseconds. */
const START_LIMIT_MS = 120_000;
/** How long a metrics request waits for workers that are starting, in milliseconds. */
const METRICS_LIMIT_MS = 5000;

/**
 * Keeps `count` processes serving one port, and replaces those that exit. SIGTERM and SIGINT stop all; SIGHUP replaces
 * them one by one, each after its replacement listens. Workers may exit, or fail to start, at any time.
 *
 * @param shutdownMs how long the drain of a worker may take
 * @param fileNames variables that come from `.env`: workers read its present content, except how many they are
 */
export async function superviseWorkers(count: number, shutdownMs: number, fileNames: readonly string[]): Promise<void> {
  const environment = { ...Object.fromEntries(fileNames.map((name) => [name, undefined])), WORKERS: String(count) };
  const metrics = new AggregatorRegistry();
  /** All running workers. */
  const running = new Set<SupervisedWorker>();
  /** All except those that have been told to stop. */
  const workers = new Set<SupervisedWorker>();
  /** A worker answers no requests while its modules load. */
  const starting = new Set<Promise<unknown>>();
  let stopping = false;
  let pause = PAUSE_MS;

  const answer = async (worker: SupervisedWorker, request: number): Promise<void> => {
    await Promise.race([Promise.all(starting), delay(METRICS_LIMIT_MS, undefined, { ref: false })]);
    const text = await metrics.clusterMetrics().catch(() => undefined);
    worker.send({ metricsFor: request, text });
  };
  /** @returns undefined if the system cannot start another process */
  const start = (): SupervisedWorker | undefined => {
    let worker: SupervisedWorker;
    try {
      worker = new SupervisedWorker((asking, request) => void answer(asking, request), shutdownMs, environment);
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
  /** The line that a worker wants printed; undefined if it exited before it listened, or takes too long. */
  const untilListening = async (worker: SupervisedWorker | undefined): Promise<string | undefined> => {
    if (!worker) return undefined;
    const late = delay(START_LIMIT_MS, undefined, { ref: false });
    const line = Promise.race([worker.listening, worker.ended.then(() => undefined), late]);
    starting.add(line);
    return line.finally(() => starting.delete(line));
  };
  const failed = (what: string, startedAt: number): void => {
    pause = performance.now() - startedAt > SETTLED_MS ? PAUSE_MS : Math.min(pause * 2, MAX_PAUSE_MS);
    console.error(what);
    void refill();
  };
  const refill = async (): Promise<void> => {
    await delay(pause);
    if (stopping || workers.size >= count) return;
    const worker = start();
    // One that hangs is killed; after its exit another one replaces it.
    if ((await untilListening(worker)) === undefined) await worker?.end();
  };

  const stop = async (code: number): Promise<void> => {
    if (stopping) return;
    stopping = true;
    // Including those that have been told to stop and are still serving requests.
    await Promise.all([...running].map((worker) => worker.end()));
    process.exit(code);
  };
  process.on('SIGTERM', () => void stop(0));
  process.on('SIGINT', () => void stop(0));

  /** @returns whether to go on with the others */
  const replace = async (old: SupervisedWorker): Promise<boolean> => {
    const fresh = start();
    const listens = (await untilListening(fresh)) !== undefined;
    if (stopping) return false;
    if (fresh && !listens && workers.delete(fresh)) {
      console.error(`Worker ${fresh.pid} does not listen`);
      await fresh.end();
    }
    // It may have exited meanwhile; then the new one already replaces it.
    if (listens && workers.delete(old)) await old.retire();
    if (workers.size < count) void refill();
    return listens;
  };
  const replaceAll = async (): Promise<void> => {
    const former = [...workers];
    for (const old of former) {
      if (!workers.has(old) || (await replace(old)) || stopping) continue;
      console.error('A new worker does not start: those that are not yet replaced stay');
      return;
    }
  };
  let begun = (): void => undefined;
  let replacing = new Promise<void>((resolve) => (begun = resolve));
  let isAsked = false;
  // Registered at once, since by default the signal would kill this process; it waits until all workers listen.
  process.on('SIGHUP', () => {
    if (isAsked) return;
    isAsked = true;
    replacing = replacing.then(() => {
      isAsked = false;
      return replaceAll();
    });
  });

  // Only the first one: the same error stops all, and need only be reported once.
  const line = await untilListening(start());
  if (stopping) return;
  if (line === undefined) return stop(1);
  await Promise.all(Array.from({ length: count - 1 }, () => untilListening(start())));
  if (stopping) return;
  console.log(`${line} with ${count} workers`);
  begun();
}
