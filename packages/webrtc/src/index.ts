export { Call } from './call.js';
export { CallError } from './call.error.js';
export { Calls, type CallsOptions } from './calls.js';
