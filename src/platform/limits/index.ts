export { Allowances } from './allowances.js';
export { FairShare } from './fair-share.js';
export { Counts } from './keyed-counter.js';
export { onceClosedInQueue } from './queued-response.js';
export { ResponseMemory } from './response-memory.js';
