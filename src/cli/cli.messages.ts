import type { INestApplicationContext } from '@nestjs/common';
import { open } from 'node:fs/promises';
import { AdminService, AdminUsers } from '../admin/index.js';
import { jsonLines } from 'avatar-chat-runtime';
import { Owner } from '../auth/index.js';
import { CatalogueService } from '../catalogue/index.js';
import { Memories } from '../memory/index.js';
import { MessageArchive } from '../messages/index.js';
import { Clock } from '../platform/config/index.js';
import { type Call, cannotRead, CommandError, type Terminal } from 'avatar-chat-command-line';
import { importFile } from './import/import.file.js';

export async function importMessages(
  app: INestApplicationContext,
  { file = '', skipBad }: Call,
  terminal: Terminal,
): Promise<void> {
  const projects = await app.get(CatalogueService).listProjects();
  const handle = await open(file).catch((error: unknown) => {
    throw cannotRead(file, error);
  });
  try {
    const { imported, stored, bad, old } = await importFile(handle, {
      archive: app.get(MessageArchive),
      memories: app.get(Memories),
      projects: new Set(projects.map(({ project_id }) => project_id)),
      skipBad,
      now: app.get(Clock).now(),
      terminal,
    });
    const leftOut = old > 0 ? `, older than 100 others ${old}` : '';
    await terminal.print(`imported ${imported}, already there ${stored}, bad ${bad}${leftOut}\n`);
    if (skipBad || bad === 0) return;
    throw new CommandError(
      imported > 0
        ? 'Lines that were good when they were checked were not when they were imported. The others were imported.'
        : 'Nothing was imported. --skip-bad leaves the bad lines out.',
    );
  } catch (error) {
    // A directory can be opened like a file, but not read.
    throw (error as NodeJS.ErrnoException).syscall === 'read' ? cannotRead(file, error) : error;
  } finally {
    await handle.close();
  }
}

export async function exportMessages(
  app: INestApplicationContext,
  { project_id, user_id }: Call,
  terminal: Terminal,
): Promise<void> {
  const messages = user_id
    ? app.get(AdminService).exportUser(new Owner(project_id, user_id))
    : app.get(AdminUsers).export(project_id);
  await terminal.print(jsonLines(messages));
}

export async function eraseMessages(
  app: INestApplicationContext,
  { project_id, user_id, all }: Call,
  terminal: Terminal,
): Promise<void> {
  if (all) {
    const { users, messages, sessions } = await app.get(AdminUsers).eraseAll(project_id);
    return terminal.print(`erased: messages ${messages}, sessions ${sessions}, users ${users}\n`);
  }
  const { messages, sessions } = await app.get(AdminService).eraseUser(new Owner(project_id, user_id));
  await terminal.print(`erased: messages ${messages}, sessions ${sessions}\n`);
}

export async function listUsers(app: INestApplicationContext, { project_id }: Call, terminal: Terminal): Promise<void> {
  await terminal.print(jsonLines(app.get(AdminUsers).list(project_id)));
}
