import type { INestApplicationContext, LoggerService } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { CatalogueFileError } from '../catalogue/index.js';
import { ConfigError } from '../config/index.js';
import { Database, isDatabaseAway } from '../database/index.js';
import { describeError } from '../http/index.js';
import { type Call, type CommandName, parseCall, USAGE } from './cli.arguments.js';
import { applyCatalogue, exportCatalogue } from './cli.catalogue.js';
import { CommandError, UsageError } from './cli.errors.js';
import { eraseMessages, exportMessages, importMessages } from './cli.messages.js';
import { CliModule } from './cli.module.js';
import { print, say } from './cli.output.js';
import { addProject, listProjects, removeProject, showProject } from './cli.project.js';
import { issueToken } from './cli.token.js';

const ACTIONS: Record<CommandName, (app: INestApplicationContext, call: Call) => Promise<void>> = {
  'project list': listProjects,
  'project show': showProject,
  'project add': addProject,
  'project remove': removeProject,
  'catalogue apply': applyCatalogue,
  'catalogue export': exportCatalogue,
  'messages import': importMessages,
  'messages export': exportMessages,
  'messages erase': eraseMessages,
  'token issue': issueToken,
};

/** Standard output holds results alone, so what the rooms have to say goes to standard error, from a warning up. */
const logger: LoggerService = {
  log: () => undefined,
  warn: (message: unknown) => say(`warning: ${String(message)}`),
  // Nest says an error of the start before it throws it, and complain() says it better.
  error: (message: unknown) => (message instanceof Error ? undefined : say(`error: ${String(message)}`)),
  fatal: (message: unknown) => say(`error: ${message instanceof Error ? message.name : String(message)}`),
};

/**
 * Runs one command.
 *
 * @param args the words after the program's name
 * @returns the exit status: 0 done, 1 failed, 2 wrong call
 */
export async function run(args: readonly string[]): Promise<number> {
  try {
    const call = parseCall(args);
    await (call === 'help' ? print(USAGE) : execute(call));
    return 0;
  } catch (error) {
    complain(error);
    return error instanceof UsageError ? 2 : 1;
  }
}

async function execute(call: Call): Promise<void> {
  const app = await NestFactory.createApplicationContext(CliModule, { logger, abortOnError: false });
  try {
    if (!app.get(Database).ready) throw new CommandError('The database is not ready.');
    await ACTIONS[call.command](app, call);
  } finally {
    await app.close();
  }
}

/** Of an error that is not ours only its kind and its place are said: its message may quote what is stored. */
function complain(error: unknown): void {
  if (error instanceof UsageError) say(`${error.message}\n\n${USAGE}`.trimEnd());
  else if (error instanceof CommandError || error instanceof ConfigError || error instanceof CatalogueFileError) {
    say(error.message);
  } else if (isDatabaseAway(error)) say('The database does not answer.');
  else say(`Something went wrong: ${JSON.stringify(describeError(error))}`);
}
