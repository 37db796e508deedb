export { run } from './cli.run.js';
