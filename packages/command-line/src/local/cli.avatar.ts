import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { cannotRead, CommandError, systemCode } from '../cli.errors.js';
import type { Terminal } from '../cli.terminal.js';

const MAX_BYTES = 10 * 1024 * 1024;

/**
 * Generates the pictures of an avatar from its portrait: all of them, or none. Needs neither the database nor any
 * settings.
 *
 * @param file the portrait; undefined: standard input, which is not supported
 * @param directory output directory; by default that of the portrait
 * @param assets the directory that the service serves, with a slash at its end
 * @returns the exit status
 */
export async function renderAvatarFiles(
  file: string | undefined,
  directory: string | undefined,
  terminal: Terminal,
  assets: string,
): Promise<number> {
  try {
    if (file === undefined) throw new CommandError('A portrait is read from a file.');
    const { renderAvatar } = await import('avatar-chat-video');
    const files = await renderAvatar(await read(file));
    const output = directory ?? dirname(file);
    const written = await write(output, files);
    await terminal.print(written.map((path) => `${path}\n`).join(''));
    await terminal.print(`\n${JSON.stringify(entryFor(output, [...files.keys()], assets), null, 2)}\n`);
    if (!isServed(output, assets))
      terminal.say('The service serves these files once their directory is in assets/avatars.');
    return 0;
  } catch (error) {
    const { code = '', name, message } = error as NodeJS.ErrnoException;
    const isAbsent = code.endsWith('MODULE_NOT_FOUND');
    if (name !== 'PortraitError' && !(error instanceof CommandError) && !isAbsent) throw error;
    terminal.say(isAbsent ? 'The optional package avatar-chat-video, or what it needs, is not installed.' : message);
    return 1;
  }
}

/** The fields of the avatar in the catalogue. */
function entryFor(directory: string, names: readonly string[], assets: string) {
  const path = isServed(directory, assets)
    ? relative(assets, resolve(directory))
    : join('avatars', basename(resolve(directory)));
  const urlOf = (name: string) =>
    encodeURI(['/assets', ...path.split(sep), names.find((one) => one.startsWith(`${name}.`))].join('/'));
  return {
    previewIcons: { small: urlOf('small'), medium: urlOf('medium'), large: urlOf('large') },
    startButtonIcon: urlOf('start'),
    idleVideo: urlOf('idle'),
  };
}

function isServed(directory: string, assets: string): boolean {
  return resolve(directory).startsWith(assets);
}

async function read(file: string): Promise<Buffer> {
  try {
    if ((await stat(file)).size > MAX_BYTES) throw new CommandError('The portrait is larger than 10 MB.');
    return await readFile(file);
  } catch (error) {
    throw error instanceof CommandError ? error : cannotRead(file, error);
  }
}

/** Written under temporary names first, so that a full disk leaves no partial result. */
async function write(directory: string, files: ReadonlyMap<string, Uint8Array>): Promise<string[]> {
  const paths = [...files.keys()].map((name) => join(directory, name));
  const parts = paths.map((path) => `${path}.part`);
  try {
    await mkdir(directory, { recursive: true });
    for (const [index, bytes] of [...files.values()].entries()) await writeFile(parts[index]!, bytes);
    for (const [index, path] of paths.entries()) await rename(parts[index]!, path);
    return paths;
  } catch (error) {
    await Promise.all(parts.map((part) => rm(part, { force: true }).catch(() => undefined)));
    throw new CommandError(`The pictures cannot be written (${systemCode(error) ?? 'unknown error'}).`);
  }
}
