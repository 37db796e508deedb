import { assertModules } from 'avatar-chat-runtime';
import { parseCall, SHORT_USAGE, USAGE, UsageError, Terminal } from 'avatar-chat-command-line';
import { commandIn, commandsOf, type ModuleCommand } from './cli.module-commands.js';
import type { Modules } from './cli.module.js';

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
    // Models do not need the database; what projects lack is in it.
    if (call.command.startsWith('speech ')) {
      const { manageModels } = await import('./cli.models.js');
      const status = await manageModels(call, terminal);
      if (call.command !== 'speech list' || status !== 0) return status;
      const { execute } = await import('./cli.execute.js');
      await execute(call, terminal, modules);
      return 0;
    }
    if (call.command.startsWith('model ')) {
      const { manageLanguageModels } = await import('./cli.models.js');
      return await manageLanguageModels(call, terminal);
    }
    if (call.command === 'avatar render') {
      const { renderAvatarFiles } = await import('./cli.avatar.js');
      return await renderAvatarFiles(call.file, call.output, terminal);
    }
    if (call.command === 'module new') {
      const { writeModule } = await import('./scaffold/module.scaffold.js');
      return await writeModule(call.words[0]!, call.output, terminal);
    }
    // Imported lazily, since the modules take a second to load.
    const { execute } = await import('./cli.execute.js');
    return await execute(call, terminal, modules);
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
