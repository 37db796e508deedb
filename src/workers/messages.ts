/** What a worker tells the supervisor: that it listens, with the line to print, or that it wants the metrics of all. */
export type FromWorker = { listening: string } | { wantsMetrics: number };

/** The metrics of all workers, for the request of that number; without a text where they could not be gathered. */
export interface FromSupervisor {
  metricsFor: number;
  text?: string;
}
