import type { INestApplicationContext } from '@nestjs/common';
import { AdminService } from '../admin/index.js';
import { jsonLines } from 'avatar-chat-runtime';
import { WebhooksService } from '../webhooks/index.js';
import { type Call, CommandError, type Terminal } from 'avatar-chat-command-line';

export async function logWebhooks(
  app: INestApplicationContext,
  { project_id }: Call,
  terminal: Terminal,
): Promise<void> {
  const log = app.get(WebhooksService).log(project_id || undefined);
  await terminal.print(jsonLines(project_id ? app.get(AdminService).orNoProject(project_id, log) : log));
}

export async function retryWebhooks(
  app: INestApplicationContext,
  { id, project_id }: Call,
  terminal: Terminal,
): Promise<void> {
  if (id && !(await app.get(WebhooksService).retry(id))) throw new CommandError('There is no such delivery.');
  const count = id ? 1 : await app.get(AdminService).retryDeliveries(project_id);
  await terminal.print(`to be tried again: ${count}\n`);
}

export async function rotateWebhookSecret(
  app: INestApplicationContext,
  { project_id, name = '' }: Call,
  terminal: Terminal,
): Promise<void> {
  const { secret } = await app.get(AdminService).rotateWebhookSecret(project_id, name);
  await terminal.print(`${secret}\n`);
}
