/**
 * Message from a worker to the supervisor: it listens, with the line to print, it requests the metrics of all, or the worker
 * with this pid is to have the connection that comes along, of which these bytes (`latin1`) were read.
 */
export type FromWorker = { listening: string } | { wantsMetrics: number } | { connectionFor: number; received: string };

/**
 * Message from the supervisor to a worker: the metrics of all for the request with that number, without text if
 * gathering failed, that another worker has replaced it, or a connection: of another worker, or its own back, as no
 * worker has that pid.
 */
export type FromSupervisor =
  | { metricsFor: number; text?: string }
  | { replaced: true }
  | { received: string; unknown?: number };
