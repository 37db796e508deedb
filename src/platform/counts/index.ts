export { Counts } from './counts.js';
