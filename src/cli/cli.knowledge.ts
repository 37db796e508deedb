import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import type { INestApplicationContext } from '@nestjs/common';
import { jsonLines } from 'avatar-chat-runtime';
import { KnowledgeService, MAX_DOCUMENT_BYTES } from '../knowledge/index.js';
import { counted } from '../platform/logging/index.js';
import { ServiceError } from '../platform/errors/index.js';
import { type Call, CommandError, systemCode, type Terminal } from 'avatar-chat-command-line';

const SEARCH_LIMIT = 5;

const nameOf = ({ project_id, base = '' }: Call) => ({ project_id, base });

/** A file, and its path within the directory that was named. */
interface FoundFile {
  readonly path: string;
  readonly name: string;
}

export async function addKnowledge(app: INestApplicationContext, call: Call, terminal: Terminal): Promise<void> {
  const knowledge = app.get(KnowledgeService);
  const files = (await Promise.all(call.words.map(filesIn))).flat();
  if (files.length === 0) throw new CommandError('There is no file.');
  if (call.title !== undefined && files.length > 1) throw new CommandError('--title is for one file.');
  let skipped = 0;
  const titles = new Set<string>();
  for (const { path, name } of files) {
    // Of two files that differ in their extension alone, the second keeps it.
    const short = name.replace(/(?<=[^/])\.[A-Za-z0-9]{1,8}$/, '');
    const title = call.title ?? (titles.has(short) ? name : short);
    titles.add(title);
    try {
      const upload = { bytes: await read(path), name: basename(path), title, ...(call.url ? { url: call.url } : {}) };
      const { document } = await knowledge.add(nameOf(call), upload);
      await terminal.print(`${JSON.stringify(document)}\n`);
    } catch (error) {
      const isOfFile = error instanceof ServiceError && error.code !== 'project_not_found' && error.status < 500;
      if (!isOfFile && !(error instanceof CommandError)) throw error;
      terminal.say(`skipped: ${name}: ${error.message}`);
      skipped++;
    }
  }
  if (skipped > 0) throw new CommandError(`${counted(skipped, 'file')} skipped.`);
}

export async function listKnowledge(app: INestApplicationContext, call: Call, terminal: Terminal): Promise<void> {
  const knowledge = app.get(KnowledgeService);
  if (call.base !== undefined) return terminal.print(jsonLines(await knowledge.list(nameOf(call))));
  await terminal.print((await knowledge.listBases(call.project_id)).map((base) => `${base}\n`).join(''));
}

export async function removeKnowledge(app: INestApplicationContext, call: Call, terminal: Terminal): Promise<void> {
  const knowledge = app.get(KnowledgeService);
  const all = async () => (await knowledge.list(nameOf(call))).map(({ document_id }) => document_id);
  const ids = call.all ? await all() : call.words;
  for (const document_id of ids) await knowledge.remove(nameOf(call), document_id);
  await terminal.print(`removed: ${ids.length}\n`);
}

export async function searchKnowledge(app: INestApplicationContext, call: Call, terminal: Terminal): Promise<void> {
  const [question = ''] = call.words;
  await terminal.print(jsonLines(await app.get(KnowledgeService).search(nameOf(call), question, SEARCH_LIMIT)));
}

/** A file, or all in a directory, without hidden ones. */
async function filesIn(path: string): Promise<FoundFile[]> {
  const state = await stat(path).catch((error: unknown) => {
    throw new CommandError(`${path} cannot be read (${systemCode(error) ?? 'unknown error'}).`);
  });
  if (!state.isDirectory()) return [{ path, name: basename(path) }];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => ({ path: join(entry.parentPath, entry.name), name: '' }))
    .map((entry) => ({ ...entry, name: relative(path, entry.path).replaceAll('\\', '/') }))
    .filter(({ name }) => !/(^|\/)\./.test(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** @throws CommandError if it is too large or cannot be read */
async function read(path: string): Promise<Buffer> {
  try {
    if ((await stat(path)).size > MAX_DOCUMENT_BYTES) throw new CommandError('is larger than 20 MiB.');
    return await readFile(path);
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(`cannot be read (${systemCode(error) ?? 'unknown error'}).`);
  }
}
