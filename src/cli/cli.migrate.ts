import type { INestApplicationContext } from '@nestjs/common';
import { MigrationsService } from '../platform/migrations/index.js';
import type { Call, Terminal } from 'avatar-chat-command-line';

/** The command's startup has run the pending migrations; this reports them. */
export async function migrate(app: INestApplicationContext, _: Call, terminal: Terminal): Promise<void> {
  const { ran } = app.get(MigrationsService);
  await terminal.print(ran.length === 0 ? 'nothing to migrate\n' : ran.map((name) => `migrated ${name}\n`).join(''));
}
