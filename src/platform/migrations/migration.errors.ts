import { DatabaseRefusedError } from '../database/index.js';

/** Stored data cannot be migrated to this release's format. The message is for operators and quotes no data. */
export class MigrationError extends DatabaseRefusedError {
  override readonly name = 'MigrationError';
}

export function newerData(stored: number, known: number): MigrationError {
  return new MigrationError(
    `A newer release has written this database (data form ${stored}; this release knows up to ${known}): use that release, or restore a backup.`,
  );
}
