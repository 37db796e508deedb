export { afterLimit, inTime, untilAborted } from './waits.js';
