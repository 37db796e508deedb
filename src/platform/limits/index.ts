export { FairShare } from './fair-share.js';
