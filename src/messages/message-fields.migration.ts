import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import { dropIndex, Migration, type MigrationProvider, renameField } from '../platform/migrations/index.js';
import { MessageDocument } from './message.schema.js';

/** The fields for the lease of a turn and for events to publish were renamed. */
@Migration('0002-message-fields')
@Injectable()
export class MessageFieldsMigration implements MigrationProvider {
  constructor(@InjectModel(MessageDocument.name) private readonly messages: Model<MessageDocument>) {}

  async up(): Promise<void> {
    await renameField(this.messages, 'asking_until', 'lease_until');
    await renameField(this.messages, 'unannounced', 'unpublished_since');
    await dropIndex(this.messages, 'unannounced_1');
  }
}
