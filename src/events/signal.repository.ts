import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { type Model, trusted } from 'mongoose';
import { Database } from '../platform/database/index.js';
import { SignalDocument } from './signal.schema.js';

const MAX_FOUND = 1000;

export type Signal = Omit<SignalDocument, 'date'>;

@Injectable()
export class SignalRepository {
  constructor(
    private readonly database: Database,
    @InjectModel(SignalDocument.name) private readonly signals: Model<SignalDocument>,
  ) {}

  /** @returns false if it is there already */
  add({ _id, ...signal }: Signal): Promise<boolean> {
    const added = { $setOnInsert: signal, $currentDate: { date: true as const } };
    // One that is there keeps its date.
    const isNone = { _id, date: trusted({ $exists: false }) };
    return this.database.insert(() => this.signals.updateOne(isNone, added, { upsert: true }));
  }

  /** Signals since a time, oldest first; of too many the newest, since the others were found before. */
  async findSince(since: Date): Promise<SignalDocument[]> {
    const later = { date: trusted({ $gt: since }) };
    const newest = () => this.signals.find(later).sort({ date: -1 }).limit(MAX_FOUND).lean();
    return (await this.database.run(newest)).reverse();
  }

  /** Removes those of a user, or of all users of a project. */
  async remove({ project_id, user_id }: { project_id: string; user_id?: string }): Promise<void> {
    const theirs = { project_id, ...(user_id === undefined ? {} : { user_id }) };
    await this.database.run(() => this.signals.deleteMany(theirs));
  }
}
