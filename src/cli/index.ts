export { CliCommand, type CommandMethod } from './cli.module-commands.js';
export { run } from './cli.run.js';
