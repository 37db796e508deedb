export { superviseWorkers } from './supervisor.js';
export {
  allWorkersMetrics,
  isFirstOrOnly,
  isReplaced,
  isWorker,
  listenToSupervisor,
  offerMetrics,
  reportListening,
} from './worker.js';
