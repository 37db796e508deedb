import type { INestApplicationContext } from '@nestjs/common';
import { databaseLocation } from 'avatar-chat-runtime';
import { DatabaseCopy } from '../platform/database/index.js';
import { counted } from '../platform/logging/index.js';
import { type Call, UsageError, ProgressBar, type Terminal } from 'avatar-chat-command-line';

export async function copyDatabase(app: INestApplicationContext, { to = '' }: Call, terminal: Terminal): Promise<void> {
  const location = databaseLocation.parse(to);
  // Connection strings may hold a password.
  if (!location) {
    const fault = databaseLocation.faultOf?.(to) ?? 'is mongodb://…, mongodb+srv://… or embedded:PATH';
    throw new UsageError(`--to ${fault}.`);
  }
  const bar = new ProgressBar(terminal);
  try {
    const copied = await app
      .get(DatabaseCopy)
      .copyTo(location, (step, share, documents) => bar.show(step, share, counted(documents, 'document')));
    bar.clear();
    await terminal.print(`copied and verified: collections ${copied.collections}, documents ${copied.documents}\n`);
  } finally {
    bar.clear();
  }
}
