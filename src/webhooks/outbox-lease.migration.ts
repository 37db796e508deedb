import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import { Migration, type MigrationProvider, renameField } from '../platform/migrations/index.js';
import { OutboxEntry } from './outbox.schema.js';

/** The lease field of a delivery was renamed. */
@Migration('0003-outbox-lease')
@Injectable()
export class OutboxLeaseMigration implements MigrationProvider {
  constructor(@InjectModel(OutboxEntry.name) private readonly entries: Model<OutboxEntry>) {}

  up(): Promise<void> {
    return renameField(this.entries, 'claim', 'lease');
  }
}
