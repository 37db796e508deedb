export { catchHangups, onHangup } from './hangup.js';
export { exitIfShutdownHangs } from './shutdown.js';
export { superviseWorkers } from './supervisor.js';
export {
  allWorkersMetrics,
  isFirstOrOnly,
  isReplaced,
  isWorker,
  listenToSupervisor,
  offerMetrics,
  REPLACED_LIMIT_MS,
  reportListening,
} from './worker.js';
export { keepHeapSmall } from './small-heap.js';
