import type { INestApplicationContext } from '@nestjs/common';
import { createReadStream } from 'node:fs';
import { AdminService } from '../admin/index.js';
import { type Call, readText, UsageError, type Terminal, writeText } from 'avatar-chat-command-line';

/** Maximum size of a catalogue file, in bytes. */
const FILE_LIMIT = 16 * 1024 * 1024;

export async function applyCatalogue(app: INestApplicationContext, { file }: Call, terminal: Terminal): Promise<void> {
  const input = file === undefined ? terminal.input : createReadStream(file);
  if (!input) throw new UsageError("'catalogue apply' needs a FILE, or a catalogue on standard input.");
  const text = await readText(input, file ?? 'The standard input', FILE_LIMIT);
  const { avatars, languages, projects } = await app.get(AdminService).applyCatalogue(text);
  await terminal.print(`applied: avatars ${avatars}, languages ${languages}, projects ${projects}\n`);
}

export async function exportCatalogue(app: INestApplicationContext, { file }: Call, terminal: Terminal): Promise<void> {
  const text = await app.get(AdminService).exportCatalogue();
  if (file === undefined) await terminal.print(text);
  else await writeText(file, text);
}
