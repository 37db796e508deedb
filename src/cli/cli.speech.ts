import { downloadSize, filesOf, type Model, ModelError, MODELS, ModelStore, MOONSHINE } from 'avatar-chat-media';
import { loadModelsDir } from '../platform/config/index.js';
import type { SpeechCommand } from './cli.commands.js';
import { CommandError } from './cli.errors.js';
import { ProgressBar } from './cli.progress.js';
import type { Terminal } from './cli.terminal.js';

/**
 * Installs, lists and removes models. Needs neither the database nor any setting except the directory.
 *
 * @param name of the model; omitted: what the shipped catalogue needs
 * @returns the exit status
 */
export async function manageModels(
  command: SpeechCommand,
  name: string | undefined,
  terminal: Terminal,
): Promise<number> {
  const store = new ModelStore(loadModelsDir());
  try {
    if (command === 'speech list') await list(store, terminal);
    else if (command === 'speech install') await install(store, store.named(name ?? MOONSHINE.name), terminal);
    else await remove(store, store.named(name ?? ''), terminal);
    return 0;
  } catch (error) {
    if (!(error instanceof ModelError) && !(error instanceof CommandError)) throw error;
    terminal.say(error.message);
    return 1;
  }
}

async function list(store: ModelStore, terminal: Terminal): Promise<void> {
  for (const model of MODELS) {
    const found = await store.find(model);
    const state = typeof found === 'object' ? 'installed' : `not installed${found === 'damaged' ? ' (damaged)' : ''}`;
    await terminal.print(`${model.name}  ${state}  ${megabytes(sizeOf(model))}  ${model.description}\n`);
  }
}

async function install(store: ModelStore, model: Model, terminal: Terminal): Promise<void> {
  const bar = new ProgressBar(terminal);
  const details = `of ${megabytes(downloadSize(model))}`;
  const isNew = await store
    .install(model, {
      onProgress: ({ received, total }) => bar.show(model.name, received / total, details),
      onWait: () => terminal.say('Another process installs or removes models: waiting for it.'),
    })
    .finally(() => bar.clear());
  await terminal.print(`${isNew ? 'installed' : 'already installed:'} ${model.name}\n`);
}

async function remove(store: ModelStore, model: Model, terminal: Terminal): Promise<void> {
  const wasThere = await store.remove(model);
  await terminal.print(`${wasThere ? 'removed' : 'not installed:'} ${model.name}\n`);
}

function sizeOf(model: Model): number {
  return filesOf(model).reduce((sum, { size }) => sum + size, 0);
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`;
}
