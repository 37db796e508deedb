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

const metrics = new AggregatorRegistry();

/**
 * Keeps several processes serving one port, and replaces those that end. SIGTERM and SIGINT stop all; SIGHUP replaces
 * them one by one, each by one that listens already.
 */
export async function superviseWorkers(count: number): Promise<void> {
  const workers = new Set<Worker>();
  let stopping = false;
  let pause = PAUSE;

  const start = async (): Promise<string | undefined> => {
    const worker = cluster.fork();
    const started = Date.now();
    workers.add(worker);
    const ended = once(worker, 'exit');
    const listening = new Promise<string>((resolve) => {
      worker.on('message', (message: FromWorker) => {
        if ('listening' in message) resolve(message.listening);
        else if ('wantsMetrics' in message) void answer(worker, message.wantsMetrics);
      });
    });
    void ended.then(async () => {
      const expected = !workers.delete(worker);
      if (expected || stopping) return;
      pause = Date.now() - started > SETTLED ? PAUSE : Math.min(pause * 2, LONGEST_PAUSE);
      console.error(`Worker ${worker.process.pid} has ended and is being replaced`);
      await delay(pause);
      if (!stopping) void start();
    });
    return Promise.race([listening, ended.then(() => undefined)]);
  };

  /** Asks a worker to finish, and waits for it. */
  const end = async (worker: Worker): Promise<void> => {
    if (!workers.delete(worker)) return;
    const ended = once(worker, 'exit');
    worker.process.kill('SIGTERM');
    await ended;
  };
  const stop = async (code: number): Promise<never> => {
    stopping = true;
    await Promise.all([...workers].map(end));
    process.exit(code);
  };

  let replacing: Promise<void> = Promise.resolve();
  const replaceAll = async (): Promise<void> => {
    for (const old of [...workers]) if (!stopping && (await start()) !== undefined) await end(old);
  };
  process.once('SIGTERM', () => void stop(0));
  process.once('SIGINT', () => void stop(0));
  process.on('SIGHUP', () => void (replacing = replacing.then(replaceAll)));

  const lines = await Promise.all(Array.from({ length: count }, start));
  if (stopping) return;
  // What cannot be started the first time has said why.
  if (lines.includes(undefined)) await stop(1);
  console.log(`${lines[0]} with ${count} workers`);
}

async function answer(worker: Worker, request: number): Promise<void> {
  const text = await metrics.clusterMetrics().catch(() => undefined);
  const message: FromSupervisor = { metricsFor: request, text };
  if (worker.isConnected()) worker.send(message);
}
