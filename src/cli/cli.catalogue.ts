import type { INestApplicationContext } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { CatalogueService } from '../catalogue/index.js';
import type { Call } from './cli.arguments.js';
import { CommandError, systemCode, UsageError } from './cli.errors.js';
import { print } from './cli.output.js';

/** Bytes of the largest catalogue file that is read. */
const FILE_LIMIT = 16 * 1024 * 1024;

export async function applyCatalogue(app: INestApplicationContext, { file }: Call): Promise<void> {
  if (file === undefined && process.stdin.isTTY) {
    throw new UsageError("'catalogue apply' needs a FILE, or a catalogue on standard input.");
  }
  const { avatars, languages, projects } = await app.get(CatalogueService).apply(await read(file));
  await print(`applied: avatars ${avatars}, languages ${languages}, projects ${projects}\n`);
}

export async function exportCatalogue(app: INestApplicationContext, { file }: Call): Promise<void> {
  const text = await app.get(CatalogueService).export();
  if (file === undefined) return print(text);
  try {
    await write(file, text);
  } catch (error) {
    throw new CommandError(`${file} cannot be written (${systemCode(error) ?? 'unknown error'}).`);
  }
}

async function read(file: string | undefined): Promise<string> {
  const name = file ?? 'The standard input';
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of file === undefined ? process.stdin : createReadStream(file)) {
      chunks.push(chunk as Buffer);
      size += (chunk as Buffer).length;
      if (size > FILE_LIMIT) throw new CommandError(`${name} is larger than ${FILE_LIMIT / 1024 / 1024} MiB.`);
    }
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch (error) {
    if (error instanceof CommandError) throw error;
    const code = systemCode(error);
    throw new CommandError(code ? `${name} cannot be read (${code}).` : `${name} is not UTF-8 text.`);
  }
}

/** Whole or not at all: written aside, then put in place of what is there. A pipe or a device is written as it is. */
async function write(file: string, text: string): Promise<void> {
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
