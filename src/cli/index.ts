export { run } from './cli.run.js';
export { Terminal } from './cli.terminal.js';
