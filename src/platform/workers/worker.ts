import cluster from 'node:cluster';
import { AggregatorRegistry, type Registry } from 'prom-client';
import type { FromSupervisor, FromWorker } from './messages.js';

let supervised = false;
/** Whether this process is one of several that serve one port. */
export const isWorker = (): boolean => supervised;

/** Whether what every worker would say alike is for this process to say. */
export const isFirstOrOnly = (): boolean => !supervised || cluster.worker?.id === 1;

let replaced = false;
/** Whether another worker has taken the place of this one, which is to go without anyone noticing. */
export const isReplaced = (): boolean => replaced;

// With a callback an error goes to it and is not thrown: a supervisor that has ended takes its workers with it anyway.
const tell = (message: FromWorker) => process.send?.(message, undefined, undefined, () => undefined);

/** Has the supervisor print this line once all workers listen. */
export function reportListening(line: string): void {
  tell({ listening: line });
}

/** Makes this process a worker, which does what the supervisor asks of it. */
export function listenToSupervisor(): void {
  supervised = true;
  // Of a message to a supervisor that has ended, such as Node's own about a port that is closed.
  cluster.worker?.on('error', () => undefined);
  process.on('message', (message: FromSupervisor) => {
    if ('replaced' in message) {
      replaced = true;
      process.kill(process.pid, 'SIGTERM');
    } else if ('metricsFor' in message) {
      waiting.get(message.metricsFor)?.(message.text);
    }
  });
  // Only its construction listens for the question after this worker's metrics.
  void new AggregatorRegistry();
  AggregatorRegistry.setRegistries([]);
}

/** Makes this the worker's part of the metrics of all. */
export function offerMetrics(own: Registry): void {
  AggregatorRegistry.setRegistries(own);
}

/** How long the metrics of all are waited for, in milliseconds: longer than the supervisor takes where all is well. */
const METRICS_LIMIT_MS = 12_000;
let requests = 0;
/** Who waits for the metrics of all, by the number of the request. */
const waiting = new Map<number, (text: string | undefined) => void>();

/** The metrics of all workers together, in Prometheus' text format; undefined, where one of them did not answer. */
export function allWorkersMetrics(): Promise<string | undefined> {
  const request = ++requests;
  return new Promise((resolve) => {
    const settle = (text?: string) => {
      clearTimeout(timer);
      waiting.delete(request);
      resolve(text);
    };
    const timer = setTimeout(settle, METRICS_LIMIT_MS).unref();
    waiting.set(request, settle);
    tell({ wantsMetrics: request });
  });
}
