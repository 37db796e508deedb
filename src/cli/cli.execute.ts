import type { INestApplicationContext, LoggerService } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { USER_ID } from '../auth/index.js';
import { CatalogueFileError, PROJECT_ID } from 'avatar-chat-catalogue';
import { ConfigError } from 'avatar-chat-settings';
import { Database, DatabaseRefusedError, isDatabaseUnavailable } from '../platform/database/index.js';
import { describeError } from '../platform/logging/index.js';
import { ServiceError } from '../platform/errors/index.js';
import {
  type Call,
  type CommandName,
  type LocalCommand,
  CommandError,
  noSuchProject,
  UsageError,
  type Terminal,
} from 'avatar-chat-command-line';
import { applyCatalogue, exportCatalogue } from './cli.catalogue.js';
import { copyDatabase } from './cli.database.js';
import { addKnowledge, listKnowledge, removeKnowledge, searchKnowledge } from './cli.knowledge.js';
import { migrate } from './cli.migrate.js';
import { eraseMessages, exportMessages, importMessages, listUsers } from './cli.messages.js';
import type { CommandMethod, ModuleCommand } from './cli.module-commands.js';
import { CliModule, type Modules } from './cli.module.js';
import {
  addProject,
  listLacks,
  listProjects,
  listTools,
  removeProject,
  rotateKey,
  showProject,
  showQuality,
  showUsage,
} from './cli.project.js';
import { issueToken } from './cli.token.js';
import { logWebhooks, retryWebhooks, rotateWebhookSecret } from './cli.webhooks.js';

const DATABASE_UNAVAILABLE = 'The database does not answer.';

const ACTIONS: Record<
  Exclude<CommandName, LocalCommand>,
  (app: INestApplicationContext, call: Call, terminal: Terminal) => Promise<void>
> = {
  'project list': listProjects,
  'project show': showProject,
  'project add': addProject,
  'project rotate-key': rotateKey,
  'project remove': removeProject,
  'users list': listUsers,
  quality: showQuality,
  usage: showUsage,
  'catalogue apply': applyCatalogue,
  'catalogue export': exportCatalogue,
  'messages import': importMessages,
  'messages export': exportMessages,
  'messages erase': eraseMessages,
  'knowledge add': addKnowledge,
  'knowledge list': listKnowledge,
  'knowledge remove': removeKnowledge,
  'knowledge search': searchKnowledge,
  'tools list': listTools,
  'speech list': listLacks,
  'token issue': issueToken,
  migrate,
  'database copy': copyDatabase,
  'webhooks log': logWebhooks,
  'webhooks retry': retryWebhooks,
  'webhooks rotate-secret': rotateWebhookSecret,
};

/** Commands that modules take part in: data of modules is skipped unless this process has them. */
const WITH_MODULES: readonly CommandName[] = ['messages export', 'messages erase', 'project remove', 'migrate'];

/** Standard output is reserved for results, so the service logs to standard error, warnings and above. */
const loggerTo = (terminal: Terminal): LoggerService => ({
  log: () => undefined,
  warn: (message: unknown) => terminal.say(`warning: ${String(message)}`),
  // Nest logs a startup error before it throws it, and explain() describes it better.
  error: (message: unknown) => (message instanceof Error ? undefined : terminal.say(`error: ${String(message)}`)),
  fatal: (message: unknown) => terminal.say(`error: ${message instanceof Error ? message.name : String(message)}`),
});

/**
 * Runs a command with the service's modules.
 *
 * @returns the exit status: 0 success, 1 failure, explained on standard error
 * @throws UsageError
 */
export async function execute(call: Call, terminal: Terminal, modules: Modules = []): Promise<number> {
  if (call.project_id && !PROJECT_ID.test(call.project_id)) {
    throw new UsageError('A project is 1 to 64 letters, digits and hyphens.');
  }
  if (call.user_id && !USER_ID.test(call.user_id)) {
    throw new UsageError('A user is 1 to 128 letters, digits, hyphens and underscores.');
  }
  return inService(terminal, modules, call, async (app) => {
    if (WITH_MODULES.includes(call.command)) await warnOfUnknown(app, terminal);
    await ACTIONS[call.command as keyof typeof ACTIONS](app, call, terminal);
  });
}

/** As {@link execute}, for a command of a module. */
export function executeModuleCommand(
  { provider, method }: ModuleCommand,
  args: readonly string[],
  terminal: Terminal,
  modules: Modules,
): Promise<number> {
  return inService(terminal, modules, { project_id: '' }, (app) => {
    const instance = app.get<Record<string, CommandMethod>>(provider, { strict: false });
    return instance[method]!(args, terminal);
  });
}

async function inService(
  terminal: Terminal,
  modules: Modules,
  call: Pick<Call, 'project_id'>,
  action: (app: INestApplicationContext) => number | void | Promise<number | void>,
): Promise<number> {
  try {
    const app = await NestFactory.createApplicationContext(
      { module: CliModule, imports: modules },
      {
        logger: loggerTo(terminal),
        abortOnError: false,
      },
    );
    try {
      if (!app.get(Database).ready) throw new CommandError(DATABASE_UNAVAILABLE);
      return (await action(app)) ?? 0;
    } finally {
      await app.close();
    }
  } catch (error) {
    if (error instanceof UsageError) throw error;
    terminal.say(explain(error, call));
    return 1;
  }
}

async function warnOfUnknown(app: INestApplicationContext, terminal: Terminal): Promise<void> {
  const unknown = await app.get(Database).unknownCollections();
  if (unknown.length === 0) return;
  terminal.say(
    `warning: This command line does not know what modules keep in: ${unknown.join(', ')}. It leaves that as it is; use a command line that has these modules.`,
  );
}

/** For unexpected errors, print only type and location: messages may quote stored data. */
function explain(error: unknown, { project_id }: Pick<Call, 'project_id'>): string {
  const ours = [CommandError, ConfigError, CatalogueFileError, DatabaseRefusedError];
  if (ours.some((type) => error instanceof type)) return (error as Error).message;
  if (error instanceof ServiceError) {
    if (error.code === 'project_not_found') return noSuchProject(project_id).message;
    if (error.code === 'project_exists') return `There is a project '${project_id}' already.`;
    return error.code === 'project_has_messages'
      ? `${error.message.replace(/\.$/, '')}, with: project remove ${project_id} --erase.`
      : error.message;
  }
  if (isDatabaseUnavailable(error)) return DATABASE_UNAVAILABLE;
  return `Something went wrong: ${JSON.stringify(describeError(error))}`;
}
