export { aborted, afterLimit, withTimeout, unlessAborted, untilAborted } from './waits.js';
