import type { INestApplicationContext } from '@nestjs/common';
import { CatalogueService, DEFAULT_PROJECT } from '../catalogue/index.js';
import { WebhooksService } from '../webhooks/index.js';
import type { Call } from './cli.arguments.js';
import { CommandError } from './cli.errors.js';
import type { Terminal } from './cli.terminal.js';

export async function listProjects(app: INestApplicationContext, _: Call, terminal: Terminal): Promise<void> {
  const projects = await app.get(CatalogueService).listProjects();
  await terminal.print(projects.map(({ project_id }) => `${project_id}\n`).join(''));
}

export async function showProject(
  app: INestApplicationContext,
  { project_id }: Call,
  terminal: Terminal,
): Promise<void> {
  const project = await app.get(CatalogueService).findProject(project_id);
  if (!project) throw noSuchProject(project_id);
  const webhooks = app.get(WebhooksService).withSecrets(project);
  const shown = { ...project, ...(webhooks.length > 0 ? { webhooks } : {}) };
  await terminal.print(`${JSON.stringify(shown, null, 2)}\n`);
}

export async function addProject(
  app: INestApplicationContext,
  { project_id }: Call,
  terminal: Terminal,
): Promise<void> {
  const project = await app.get(CatalogueService).addProject(project_id);
  if (!project) throw new CommandError(`There is a project '${project_id}' already.`);
  await terminal.print(`added ${project_id}\n`);
}

export async function removeProject(
  app: INestApplicationContext,
  { project_id }: Call,
  terminal: Terminal,
): Promise<void> {
  if (project_id === DEFAULT_PROJECT) throw new CommandError('The default project cannot be removed.');
  if (!(await app.get(CatalogueService).removeProject(project_id))) throw noSuchProject(project_id);
  await terminal.print(`removed ${project_id}\n`);
  terminal.say('Its messages, where it has any, stay: messages export and messages erase still reach them.');
}

export function noSuchProject(project_id: string): CommandError {
  return new CommandError(`There is no project '${project_id}'.`);
}
