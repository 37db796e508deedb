export { afterLimit, withTimeout, untilAborted } from './waits.js';
