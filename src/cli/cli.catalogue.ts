import type { INestApplicationContext } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { AdminService } from '../admin/index.js';
import { type Call, cannotRead, CommandError, systemCode, UsageError, type Terminal } from 'avatar-chat-command-line';

/** Maximum size of a catalogue file, in bytes. */
const FILE_LIMIT = 16 * 1024 * 1024;

export async function applyCatalogue(app: INestApplicationContext, { file }: Call, terminal: Terminal): Promise<void> {
  const input = file === undefined ? terminal.input : createReadStream(file);
  if (!input) throw new UsageError("'catalogue apply' needs a FILE, or a catalogue on standard input.");
  const text = await read(input, file ?? 'The standard input');
  const { avatars, languages, projects } = await app.get(AdminService).applyCatalogue(text);
  await terminal.print(`applied: avatars ${avatars}, languages ${languages}, projects ${projects}\n`);
}

export async function exportCatalogue(app: INestApplicationContext, { file }: Call, terminal: Terminal): Promise<void> {
  const text = await app.get(AdminService).exportCatalogue();
  if (file === undefined) return terminal.print(text);
  try {
    await write(file, text);
  } catch (error) {
    throw new CommandError(`${file} cannot be written (${systemCode(error) ?? 'unknown error'}).`);
  }
}

async function read(input: AsyncIterable<Buffer | string>, name: string): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of input) {
      chunks.push(Buffer.from(chunk));
      size += chunk.length;
      if (size > FILE_LIMIT) throw new CommandError(`${name} is larger than ${FILE_LIMIT / 1024 / 1024} MiB.`);
    }
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw systemCode(error) ? cannotRead(name, error) : new CommandError(`${name} is not UTF-8 text.`);
  }
}

/** Atomic: written to a temporary file, then renamed. A pipe or a device is written directly. */
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
