import cluster from 'node:cluster';
import { AggregatorRegistry, type Registry } from 'prom-client';
import type { FromSupervisor, FromWorker } from './messages.js';

/** Whether this process is one of several that serve one port. */
export const isWorker = (): boolean => cluster.isWorker;

const tell = (message: FromWorker) => process.send?.(message);

/** Has the supervisor print this line once all workers listen. */
export function reportListening(line: string): void {
  tell({ listening: line });
}

let requests = 0;

/**
 * The metrics of all workers together, in Prometheus' text format.
 */
export function allWorkersMetrics(): Promise<string> {
  const request = ++requests;
  return new Promise((resolve, reject) => {
    const take = (message: FromSupervisor) => {
      if (message?.metricsFor !== request) return;
      process.off('message', take);
      if (message.text === undefined) reject(new Error('The metrics of another worker did not come'));
      else resolve(message.text);
    };
    process.on('message', take);
    tell({ wantsMetrics: request });
  });
}

/** Answers the supervisor's questions after this worker's metrics. */
export function offerMetrics(own: Registry): void {
  // Only its construction listens for the questions.
  void new AggregatorRegistry();
  AggregatorRegistry.setRegistries(own);
}
