import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { CommandError, systemCode, UsageError } from '../cli.errors.js';
import type { Terminal } from '../cli.terminal.js';

const TEMPLATE = 'examples/sample-notes';
const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
const MAX_NAME = 32;
/** Where the packages are packed to, in the new one: the service is on no registry. */
const PACKED = 'packed';

/** Directories of the service. */
export interface ServicePlaces {
  /** That of its package. */
  readonly root: string;
  /** That of its modules, compiled or not. */
  readonly modules: string;
}

/**
 * Writes a package with a module that compiles and whose tests pass, from the example, and packs the service beside it.
 *
 * @param name of the module and its route, in lower case with hyphens
 * @param directory that does not exist or is empty; by default the name
 * @param places of the service that is packed
 * @returns the exit status
 * @throws UsageError if the name is not one, or the service uses it
 */
export async function writeModule(
  name: string,
  directory: string | undefined,
  terminal: Terminal,
  places: ServicePlaces,
): Promise<number> {
  if (!NAME.test(name) || name.length > MAX_NAME)
    throw new UsageError(`A module's name has up to ${MAX_NAME} of a-z, 0-9 and hyphens, and begins with a letter.`);
  const target = resolve(directory ?? name);
  try {
    if ((await usedNames(places)).has(name)) throw new CommandError(`The service has a module or a route '${name}'.`);
    if ((await filesIn(target)).length > 0) throw new CommandError(`${target} is not empty.`);
    const files = await copyTemplate(join(places.root, TEMPLATE), name, target);
    terminal.say('Packing the service …');
    await addService(places.root, target);
    await terminal.print(`wrote ${files} files to ${target}\nNext: cd ${target} && npm install && npm test\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    terminal.say(error.message);
    return 1;
  }
}

/** The files of a directory and its subdirectories, by relative paths; none if it does not exist. */
async function filesIn(directory: string): Promise<string[]> {
  try {
    const entries = await readdir(directory, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw new CommandError(`${directory} cannot be read (${systemCode(error) ?? 'unknown error'}).`);
  }
}

/** The names of the service's modules, and the first words of its routes. */
async function usedNames({ root, modules }: ServicePlaces): Promise<Set<string>> {
  const { paths } = JSON.parse(await readFile(join(root, 'openapi.json'), 'utf8')) as { paths: object };
  return new Set([...Object.keys(paths).map((path) => path.split(/[/#]/)[1]!), ...(await readdir(modules))]);
}

async function copyTemplate(template: string, name: string, target: string): Promise<number> {
  const files = (await filesIn(template)).filter((file) => !/[\\/](node_modules|dist)[\\/]/.test(file));
  if (files.length === 0) throw new CommandError('The examples of the service are not installed here.');
  for (const file of files) {
    const place = join(target, renamed(file.slice(template.length), name));
    await attempt(async () => {
      await mkdir(dirname(place), { recursive: true });
      await writeFile(place, renamed(await readFile(file, 'utf8'), name));
    });
  }
  await attempt(() => writeFile(join(target, '.gitignore'), 'node_modules/\ndist/\ndata/\n'));
  return files.length + 1;
}

/** The name in each form that the example has it in. */
function renamed(text: string, name: string): string {
  const words = name.split('-');
  const capital = (word: string) => word[0]!.toUpperCase() + word.slice(1);
  return text
    .replaceAll('sample-notes', name)
    .replaceAll('sample_notes', words.join('_'))
    .replaceAll('SampleNotes', words.map(capital).join(''))
    .replaceAll('sample notes', words.join(' '))
    .replaceAll('Sample notes', capital(words.join(' ')));
}

/** Packs the service and its own packages, and adds them to the new package, for npm and pnpm. */
async function addService(root: string, target: string): Promise<void> {
  const find = createRequire(join(root, 'package.json'));
  const { dependencies, optionalDependencies = {} } = find('./package.json') as Record<string, object>;
  const own = Object.keys({ ...dependencies, ...optionalDependencies }).filter((name) => /^avatar-chat-/.test(name));
  const places = own.flatMap((name) => {
    try {
      return [dirname(find.resolve(`${name}/package.json`))];
    } catch {
      if (!(name in optionalDependencies)) throw new CommandError(`${name} is not installed.`);
      return [];
    }
  });
  const packed = join(target, PACKED);
  const files: Record<string, string> = {};
  await attempt(() => mkdir(packed));
  for (const place of [...places, root]) {
    const words = ['pack', '--json', '--ignore-scripts', '--pack-destination', packed];
    const { stdout } = await promisify(execFile)('npm', words, { cwd: place, maxBuffer: 2 ** 26 }).catch(() => {
      throw new CommandError(`npm could not pack ${place}.`);
    });
    const [{ name, filename }] = JSON.parse(stdout) as [{ name: string; filename: string }];
    files[name] = `file:${PACKED}/${filename}`;
  }
  const file = join(target, 'package.json');
  await attempt(async () => {
    const pkg = JSON.parse(await readFile(file, 'utf8')) as { dependencies: object };
    const part = (isOptional: boolean) =>
      Object.fromEntries(Object.entries(files).filter(([name]) => name in optionalDependencies === isOptional));
    Object.assign(pkg.dependencies, part(false));
    Object.assign(pkg, { optionalDependencies: part(true), pnpm: { overrides: files } });
    await writeFile(file, `${JSON.stringify(pkg, null, 2)}\n`);
  });
}

async function attempt<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    throw new CommandError(`The files cannot be written (${systemCode(error) ?? 'unknown error'}).`);
  }
}
