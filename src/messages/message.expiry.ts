import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { type Model, trusted } from 'mongoose';
import { Database } from '../platform/database/index.js';
import { MessageDocument } from './message.schema.js';

/** The fields of a message that its removal needs. */
export type ExpiredMessage = Pick<MessageDocument, '_id' | 'file_id'>;

/** Messages that retention removes, of any user of a project. */
@Injectable()
export class MessageExpiry {
  constructor(
    private readonly database: Database,
    @InjectModel(MessageDocument.name) private readonly messages: Model<MessageDocument>,
  ) {}

  /** Messages of a project, of any user, from before a date in Unix time in milliseconds. */
  findExpired(project_id: string, date: number, limit: number): Promise<ExpiredMessage[]> {
    const expired = { project_id, date: trusted({ $lt: date }) };
    return this.database.run(() => this.messages.find(expired).select({ file_id: 1 }).limit(limit).lean());
  }

  /** Messages of a project that are dated after one time, and were first seen before another. */
  findAhead(project_id: string, after: number, seenBefore: number, limit: number): Promise<ExpiredMessage[]> {
    const ahead = { project_id, date: trusted({ $gt: after }), ahead_since: trusted({ $lt: seenBefore }) };
    return this.database.run(() => this.messages.find(ahead).select({ file_id: 1 }).limit(limit).lean());
  }

  /** Records when messages of a project dated after a time were first seen. @returns how many */
  async noteAhead(project_id: string, after: number, now: number, limit: number): Promise<number> {
    const ahead = { project_id, date: trusted({ $gt: after }), ahead_since: null };
    const found = await this.database.run(() => this.messages.find(ahead).select({ _id: 1 }).limit(limit).lean());
    const these = { project_id, _id: trusted({ $in: found.map(({ _id }) => _id) }) };
    if (found.length > 0)
      await this.database.run(() => this.messages.updateMany(these, { $set: { ahead_since: now } }));
    return found.length;
  }

  /** @returns how many still existed */
  async removeExpired(project_id: string, expired: readonly ExpiredMessage[]): Promise<number> {
    const these = { project_id, _id: trusted({ $in: expired.map(({ _id }) => _id) }) };
    return (await this.database.run(() => this.messages.deleteMany(these))).deletedCount;
  }
}
