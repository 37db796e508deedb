import type { INestApplicationContext } from '@nestjs/common';
import { AuthService } from '../auth/index.js';
import { CatalogueService } from '../catalogue/index.js';
import type { Call } from './cli.arguments.js';
import { print } from './cli.output.js';
import { noSuchProject } from './cli.project.js';

/** Whoever may run this command need not be vouched for, so the project's policy is not asked. */
export async function issueToken(app: INestApplicationContext, { owner }: Call): Promise<void> {
  if (!(await app.get(CatalogueService).hasProject(owner!.project_id))) throw noSuchProject(owner!.project_id);
  await print(`${await app.get(AuthService).sign(owner!)}\n`);
}
