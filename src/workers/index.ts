export { superviseWorkers } from './supervisor.js';
export { allWorkersMetrics, isWorker, offerMetrics, reportListening } from './worker.js';
