import { randomBytes } from 'node:crypto';
import { open, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { cannotRead, CommandError, systemCode } from './cli.errors.js';

const MIB = 1024 * 1024;

/**
 * Reads a text of limited size.
 *
 * @param name of its file, for errors
 * @throws CommandError if it is too large, cannot be read, or is not UTF-8
 */
export async function readText(input: AsyncIterable<Buffer | string>, name: string, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of input) {
      chunks.push(Buffer.from(chunk));
      size += chunk.length;
      if (size > maxBytes) throw new CommandError(`${name} is larger than ${maxBytes / MIB} MiB.`);
    }
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw systemCode(error) ? cannotRead(name, error) : new CommandError(`${name} is not UTF-8 text.`);
  }
}

/** Writes a text to a file, all of it or nothing. @throws CommandError */
export async function writeText(file: string, text: string): Promise<void> {
  try {
    await replace(file, text);
  } catch (error) {
    throw new CommandError(`${file} cannot be written (${systemCode(error) ?? 'unknown error'}).`);
  }
}

/** Atomic: written to a temporary file, then renamed. A pipe or a device is written directly. */
async function replace(file: string, text: string): Promise<void> {
  const there = await stat(file).catch(() => undefined);
  if (there && !there.isFile()) return writeFile(file, text);
  const target = there ? await realpath(file) : file;
  const draft = `${target}.${randomBytes(6).toString('hex')}`;
  const handle = await open(draft, 'wx', there?.mode);
  try {
    await handle.writeFile(text).finally(() => handle.sync().finally(() => handle.close()));
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
