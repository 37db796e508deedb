import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { AggregatorRegistry } from 'prom-client';
import type { FromSupervisor, FromWorker } from './messages.js';

/** Milliseconds before a worker that has ended is replaced: doubled while new ones end early, too. */
const PAUSE = 500;
const LONGEST_PAUSE = 30_000;
/** A worker that has run for so many milliseconds did not end because it could not start. */
const SETTLED = 10_000;

/**
 * Keeps `count` processes serving one port, and starts another where one ends. SIGTERM and SIGINT stop all; SIGHUP
 * replaces them one by one, each by one that listens already.
 */
export async function superviseWorkers(count: number): Promise<void> {
  const metrics = new AggregatorRegistry();
  const answer = async (worker: Worker, request: number): Promise<void> => {
    await Promise.all(starting);
    const text = await metrics.clusterMetrics().catch(() => undefined);
    if (worker.isConnected()) worker.send({ metricsFor: request, text } satisfies FromSupervisor);
  };
  /** Without those that have been told to go. */
  const workers = new Set<Worker>();
  /** A worker takes no question while its modules load. */
  const starting = new Set<Promise<unknown>>();
  let stopping = false;
  let pause = PAUSE;

  /** The line that the worker has printed; undefined, where it ended before it listened. */
  const start = async (): Promise<string | undefined> => {
    const worker = cluster.fork();
    const started = Date.now();
    workers.add(worker);
    const listening = new Promise<string>((resolve) => {
      worker.on('message', (message: FromWorker) => {
        if ('listening' in message) resolve(message.listening);
        // prom-client has messages of its own.
        else if ('wantsMetrics' in message) void answer(worker, message.wantsMetrics);
      });
    });
    const ended = once(worker, 'exit').then(() => {
      if (!workers.delete(worker) || stopping) return;
      pause = Date.now() - started > SETTLED ? PAUSE : Math.min(pause * 2, LONGEST_PAUSE);
      console.error(`Worker ${worker.process.pid} has ended`);
      void refill();
    });
    const line = Promise.race([listening, ended.then(() => undefined)]);
    starting.add(line);
    return line.finally(() => starting.delete(line));
  };
  const refill = async (): Promise<void> => {
    await delay(pause);
    if (!stopping && workers.size < count) void start();
  };

  const end = async (worker: Worker, tell: () => unknown): Promise<void> => {
    const ended = once(worker, 'exit');
    workers.delete(worker);
    tell();
    await ended;
  };
  const stop = async (code: number): Promise<never> => {
    stopping = true;
    // Also those that have been told to go and are still answering.
    const alive = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined && !worker.isDead());
    await Promise.all(alive.map((worker) => end(worker!, () => worker!.process.kill('SIGTERM'))));
    process.exit(code);
  };
  process.once('SIGTERM', () => void stop(0));
  process.once('SIGINT', () => void stop(0));

  // The first alone: what stops one stops all, and need be said once.
  const line = await start();
  if (stopping) return;
  if (line === undefined) return stop(1);
  await Promise.all(Array.from({ length: count - 1 }, start));
  if (stopping) return;
  console.log(`${line} with ${count} workers`);

  const replaceAll = async (): Promise<void> => {
    const former = [...workers];
    for (const old of former) {
      if (stopping || !workers.has(old) || (await start()) === undefined) continue;
      await end(old, () => old.send({ replaced: true } satisfies FromSupervisor));
      if (workers.size < count) void refill();
    }
  };
  let replacing: Promise<void> = Promise.resolve();
  process.on('SIGHUP', () => void (replacing = replacing.then(replaceAll)));
}
