import { parseCall, USAGE } from './cli.arguments.js';
import { UsageError } from './cli.errors.js';
import { Terminal } from './cli.terminal.js';

/**
 * Runs one command.
 *
 * @param args the words after the program's name
 * @returns the exit status: 0 done, 1 failed, 2 wrong call
 */
export async function run(args: readonly string[], terminal = new Terminal()): Promise<number> {
  try {
    const call = parseCall(args);
    if (call === 'help') {
      await terminal.print(USAGE);
      return 0;
    }
    // Only now, since the rooms take a second to load.
    const { execute } = await import('./cli.execute.js');
    return await execute(call, terminal);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    terminal.say(`${error.message}\n\n${USAGE.trimEnd()}`);
    return 2;
  }
}
