export { type Call, parseCall } from './cli.arguments.js';
export { type CommandName, COMMANDS, type LocalCommand, SHORT_USAGE, USAGE } from './cli.commands.js';
export { cannotRead, CommandError, noSuchProject, systemCode, UsageError } from './cli.errors.js';
export { readText, writeText } from './cli.files.js';
export { ProgressBar } from './cli.progress.js';
export { Terminal } from './cli.terminal.js';
export { runLocally } from './local/cli.local.js';
