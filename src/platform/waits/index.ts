export { inTime, untilAborted } from './waits.js';
