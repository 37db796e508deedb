import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Migration } from 'avatar-chat-service';
import type { Model } from 'mongoose';
import { SampleNotesEntry } from './sample-notes.schema.js';

/** Runs once in each database. Write one whenever the schema changes; it must be repeatable. */
@Migration('sample-notes-date')
@Injectable()
export class SampleNotesMigration {
  constructor(@InjectModel(SampleNotesEntry.name) private readonly model: Model<SampleNotesEntry>) {}

  async up(): Promise<void> {
    await this.model.collection.updateMany({ date: { $exists: false } }, { $set: { date: 0 } });
  }
}
