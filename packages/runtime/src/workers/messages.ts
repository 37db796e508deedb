/** Message from a worker to the supervisor: it listens, with the line to print, or it requests the metrics of all. */
export type FromWorker = { listening: string } | { wantsMetrics: number };

/**
 * Message from the supervisor to a worker: the metrics of all for the request with that number, without text if
 * gathering failed, or that another worker has replaced it.
 */
export type FromSupervisor = { metricsFor: number; text?: string } | { replaced: true };
