import { join } from 'node:path';
import type { Call } from '../cli.arguments.js';
import type { LocalCommand } from '../cli.commands.js';
import type { Terminal } from '../cli.terminal.js';
import type { ServicePlaces } from './module.scaffold.js';

type Action = (call: Call, terminal: Terminal, places: ServicePlaces) => Promise<number>;

const manageModels: Action = async (call, terminal) => (await import('./cli.models.js')).manageModels(call, terminal);
const manageLanguageModels: Action = async (call, terminal) =>
  (await import('./cli.models.js')).manageLanguageModels(call, terminal);

/** Each imports what it needs when it is called: no other command should wait for that. */
const ACTIONS: Record<LocalCommand | 'speech list', Action> = {
  'speech list': manageModels,
  'speech install': manageModels,
  'speech remove': manageModels,
  'model list': manageLanguageModels,
  'model install': manageLanguageModels,
  'model remove': manageLanguageModels,
  'avatar render': async ({ file, output }, terminal, { root }) => {
    const { renderAvatarFiles } = await import('./cli.avatar.js');
    return renderAvatarFiles(file, output, terminal, join(root, 'assets/'));
  },
  'module new': async ({ words, output }, terminal, places) => {
    const { writeModule } = await import('./module.scaffold.js');
    return writeModule(words[0]!, output, terminal, places);
  },
};

/**
 * Runs a command that needs no database, or the part of `speech list` that needs none.
 *
 * @returns the exit status; undefined if it is another command
 * @throws UsageError
 */
export async function runLocally(call: Call, terminal: Terminal, places: ServicePlaces): Promise<number | undefined> {
  return ACTIONS[call.command as keyof typeof ACTIONS]?.(call, terminal, places);
}
