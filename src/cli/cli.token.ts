import type { INestApplicationContext } from '@nestjs/common';
import { AuthService, Owner } from '../auth/index.js';
import { CatalogueService } from '../catalogue/index.js';
import { type Call, noSuchProject, type Terminal } from 'avatar-chat-command-line';

/** Anyone who may run this command is trusted, so the project's policy does not apply. */
export async function issueToken(
  app: INestApplicationContext,
  { project_id, user_id }: Call,
  terminal: Terminal,
): Promise<void> {
  if (!(await app.get(CatalogueService).hasProject(project_id))) throw noSuchProject(project_id);
  await terminal.print(`${await app.get(AuthService).sign(new Owner(project_id, user_id))}\n`);
}
