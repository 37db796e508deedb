import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { type Model, trusted } from 'mongoose';
import { Database } from '../platform/database/index.js';
import { SignalDocument } from './signal.schema.js';

const MAX_FOUND = 1000;
/** How long after a later one a signal may become visible, and the clock of an older version be behind, in milliseconds. */
const LATE_MS = 30_000;

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

  /**
   * Signals since shortly before a time in Unix milliseconds, with that of the database, oldest first; of too many the
   * newest, since the others were found before.
   */
  async findSince(newest: number): Promise<(SignalDocument & { now: Date })[]> {
    const $match = { date: { $gt: new Date(newest - LATE_MS) } };
    const steps = [{ $match }, { $sort: { date: -1 as const } }, { $limit: MAX_FOUND }, { $set: { now: '$$NOW' } }];
    const found = await this.database.run(() => this.signals.aggregate<SignalDocument & { now: Date }>(steps).exec());
    return found.reverse();
  }

  /** Removes those of a user, or of all users of a project. */
  async remove({ project_id, user_id }: { project_id: string; user_id?: string }): Promise<void> {
    const theirs = { project_id, ...(user_id === undefined ? {} : { user_id }) };
    await this.database.run(() => this.signals.deleteMany(theirs));
  }
}
