import {
  findSource,
  isRestricted,
  LlamaStore,
  megabytes,
  type Model,
  ModelError,
  ModelSources,
  ModelStore,
  MOONSHINE,
  SMART_TURN,
} from 'avatar-chat-model-files';
import { loadModelSettings } from 'avatar-chat-settings';
import type { Call } from '../cli.arguments.js';
import { CommandError } from '../cli.errors.js';
import { ProgressBar } from '../cli.progress.js';
import type { Terminal } from '../cli.terminal.js';

/**
 * Installs, lists and removes models. Needs neither the database nor any setting except the directory and the hub.
 *
 * @returns the exit status
 */
export async function manageModels(call: Call, terminal: Terminal): Promise<number> {
  const { modelsDir, hub } = loadModelSettings();
  const store = new ModelStore(modelsDir);
  const sources = new ModelSources(hub, store);
  try {
    if (call.command === 'speech list') await list(store, sources, terminal);
    else if (call.command === 'speech install') await install(store, sources, call, terminal);
    else await remove(store, sources, call.words[0]!, terminal);
    return 0;
  } catch (error) {
    if (!(error instanceof ModelError) && !(error instanceof CommandError)) throw error;
    terminal.say(error.message);
    return 1;
  }
}

/** Installs, lists and removes language models. @returns the exit status */
export async function manageLanguageModels(call: Call, terminal: Terminal): Promise<number> {
  const { modelsDir, hub } = loadModelSettings();
  const store = new LlamaStore(modelsDir);
  const [word = ''] = call.words;
  try {
    if (call.command === 'model list') {
      const lines = (await store.list()).map(({ name, bytes }) => `${name}  ${megabytes(bytes)}\n`);
      await terminal.print(lines.join(''));
    } else if (call.command === 'model remove') {
      if (!(await store.remove(word))) throw new CommandError(`There is no model '${word}'.`);
      await terminal.print(`removed ${word}\n`);
    } else {
      const source = await findSource(word, hub);
      const bar = new ProgressBar(terminal);
      const name = await store
        .install(source, {
          name: call.name,
          sha256: call.sha256,
          onProgress: (received, total) => {
            if (total) bar.show(source.name, received / total, `of ${megabytes(total)}`);
          },
          onWait: () => terminal.say('Another process installs or removes models: waiting for it.'),
        })
        .finally(() => bar.clear());
      await terminal.print(`installed ${name}\n`);
    }
    return 0;
  } catch (error) {
    if (!(error instanceof ModelError) && !(error instanceof CommandError)) throw error;
    terminal.say(error.message);
    return 1;
  }
}

async function list(store: ModelStore, sources: ModelSources, terminal: Terminal): Promise<void> {
  const installed = await store.allInstalled();
  const known = sources.listed;
  const others = installed.filter(({ facts }) => !known.some(({ name }) => name === facts.name));
  const lines: string[] = [];
  for (const model of [...known, ...others.map(({ facts, size }) => ({ ...facts, size, packages: [] }))]) {
    const there = installed.find(({ facts }) => facts.name === model.name);
    const isDamaged = !there && (await store.find(model)) === 'damaged';
    const { name, size, licence, languages } = { ...model, ...there?.facts, size: there?.size ?? model.size };
    const columns = [name, there ? 'installed' : 'missing', megabytes(size), licence, languages.join(',') || 'any'];
    lines.push(`${[...columns, ...(isDamaged ? ['damaged: install it again'] : [])].join('  ')}\n`);
  }
  await terminal.print(lines.join(''));
}

async function install(store: ModelStore, sources: ModelSources, call: Call, terminal: Terminal): Promise<void> {
  const targets = call.all ? [...sources.languages, SMART_TURN] : call.words;
  const found: Model[] = targets.length === 0 ? [MOONSHINE] : [];
  const faults: string[] = [];
  for (const target of targets) found.push(...(await sources.resolve(target, (fault) => faults.push(fault))));
  const models = [...new Map(found.map((model) => [model.name, model])).values()];
  await terminal.print(table(models));
  if (call.dryRun) return faults.forEach((fault) => terminal.say(fault));
  const accepted = plain(call.accept ?? '');
  const refused = models.filter((model) => isRestricted(model) && plain(model.licence) !== accepted);
  for (const model of refused)
    if (!(await store.installed(model.name)))
      throw new CommandError(`${model.name} may not be used commercially: --accept '${model.licence}' accepts that.`);
  for (const model of models)
    await installOne(store, model, terminal).catch((error: unknown) => {
      if (!(error instanceof ModelError)) throw error;
      faults.push(error.message);
    });
  if (faults.length > 0) throw new CommandError(faults.join('\n'));
}

async function installOne(store: ModelStore, model: Model, terminal: Terminal): Promise<void> {
  const bar = new ProgressBar(terminal);
  const isNew = await store
    .install(model, {
      onProgress: ({ received, total }) => bar.show(model.name, received / total, `of ${megabytes(total)}`),
      onWait: () => terminal.say('Another process installs or removes models: waiting for it.'),
    })
    .finally(() => bar.clear());
  await terminal.print(`${isNew ? 'installed' : 'already installed:'} ${model.name}\n`);
}

async function remove(store: ModelStore, sources: ModelSources, name: string, terminal: Terminal): Promise<void> {
  const wasThere = await store.remove(sources.listed.find((model) => model.name === name) ?? store.removable(name));
  await terminal.print(`${wasThere ? 'removed' : 'not installed:'} ${name}\n`);
}

const HEADER = ['NAME', 'FOR', 'SIZE', 'LICENCE', 'LICENCE OF', 'QUALITY'];

function table(models: readonly Model[]): string {
  const rows = models.map(({ name, purpose, languages, gender, size, licence, licenceSource, quality }) => [
    name,
    [purpose, gender, languages.length > 3 ? `${languages.length} languages` : languages.join(',')]
      .filter(Boolean)
      .join(' '),
    size > 0 ? megabytes(size) : '?',
    isRestricted({ licence }) ? `${licence} (not commercially)` : licence,
    licenceSource,
    quality,
  ]);
  const widths = HEADER.map((title, column) => Math.max(...[HEADER, ...rows].map((row) => row[column]!.length)));
  return [HEADER, ...rows]
    .map(
      (row) =>
        `${row
          .map((cell, column) => cell.padEnd(widths[column]!))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

/** For comparisons: without case, spaces and punctuation. */
function plain(licence: string): string {
  return licence.toLowerCase().replace(/[^a-z0-9]/g, '');
}
