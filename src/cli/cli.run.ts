import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { assertModules } from 'avatar-chat-runtime';
import { parseCall, runLocally, SHORT_USAGE, USAGE, UsageError, Terminal } from 'avatar-chat-command-line';
import { commandIn, commandsOf, type ModuleCommand } from './cli.module-commands.js';
import type { Modules } from './cli.module.js';

const MODULES = fileURLToPath(new URL('../', import.meta.url));
const PLACES = { root: resolve(MODULES, '..'), modules: MODULES };

/**
 * Runs one command.
 *
 * @param args the words after the program's name
 * @param modules further Nest modules of the service, such as those with engines that the catalogue may name
 * @returns the exit status: 0 success, 1 failure, 2 usage error
 */
export async function run(args: readonly string[], terminal = new Terminal(), modules: Modules = []): Promise<number> {
  try {
    assertModules('runCli()', modules);
  } catch (error) {
    terminal.say((error as Error).message);
    return 1;
  }
  try {
    const commands = modules.length > 0 ? await commandsOf(modules) : [];
    const given = commandIn(commands, args);
    if (given) {
      const { executeModuleCommand } = await import('./cli.execute.js');
      return await executeModuleCommand(given.command, given.rest, terminal, modules);
    }
    const call = parseCall(args);
    if (call === 'help') {
      await terminal.print(usageWith(commands));
      return 0;
    }
    const local = await runLocally(call, terminal, PLACES);
    // Models do not need the database; what projects lack is in it.
    if (local !== undefined && (call.command !== 'speech list' || local !== 0)) return local;
    // Imported lazily, since the modules take a second to load.
    const { execute } = await import('./cli.execute.js');
    const status = await execute(call, terminal, modules);
    return local ?? status;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    terminal.say(`${error.message}\n\n${SHORT_USAGE}`);
    return 2;
  }
}

function usageWith(commands: readonly ModuleCommand[]): string {
  if (commands.length === 0) return USAGE;
  return `${USAGE}\nCommands of modules: ${commands
    .map(({ name }) => name)
    .sort()
    .join(', ')}\n`;
}
