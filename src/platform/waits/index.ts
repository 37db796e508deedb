export { aborted, afterLimit, withTimeout, untilAborted } from './waits.js';
