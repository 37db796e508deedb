import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Clock, Database, type Owner, ServiceError } from 'avatar-chat-service';
import type { Model } from 'mongoose';
import type { SampleNotesItem } from './sample-notes.dto.js';
import { SampleNotesEntry } from './sample-notes.schema.js';

const MAX_PER_USER = 100;

@Injectable()
export class SampleNotesService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    @InjectModel(SampleNotesEntry.name) private readonly model: Model<SampleNotesEntry>,
  ) {}

  /** @throws ServiceError if the user has too many */
  async add({ project_id, user_id }: Owner, text: string): Promise<SampleNotesItem> {
    const count = await this.database.run(() => this.model.countDocuments({ project_id, user_id }));
    if (count >= MAX_PER_USER) throw new ServiceError(409, 'too_many_sample_notes', 'There are too many.');
    const date = this.clock.now();
    await this.database.run(() => this.model.create({ project_id, user_id, text, date }));
    return { text, date };
  }

  /** Newest first. */
  async list({ project_id, user_id }: Owner): Promise<SampleNotesItem[]> {
    const found = await this.database.run(() =>
      this.model.find({ project_id, user_id }).sort({ date: -1 }).limit(MAX_PER_USER).lean(),
    );
    return found.map(({ text, date }) => ({ text, date }));
  }

  async removeAll({ project_id, user_id }: Owner): Promise<number> {
    return (await this.database.run(() => this.model.deleteMany({ project_id, user_id }))).deletedCount;
  }

  count(): Promise<number> {
    return this.database.run(() => this.model.estimatedDocumentCount());
  }
}
