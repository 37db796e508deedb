/** What a worker tells the supervisor: that it listens, with the line to print, or that it wants the metrics of all. */
export type FromWorker = { listening: string } | { wantsMetrics: number };

/**
 * What the supervisor tells a worker: the metrics of all for the request of that number, without a text where they could
 * not be gathered, or that another worker has taken its place.
 */
export type FromSupervisor = { metricsFor: number; text?: string } | { replaced: true };
