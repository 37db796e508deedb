import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { type Model, trusted } from 'mongoose';
import { USER_ID } from '../auth/index.js';
import { Database, LONGEST_OPERATION_MS } from '../platform/database/index.js';
import { MessageDocument } from './message.schema.js';

/** Messages of an export that are read at a time: they stay in memory until they are consumed. */
const EXPORT_BATCH = 100;

/** A user's messages in a project. Dates are Unix time in milliseconds. */
export interface UserSummary {
  user_id: string;
  messages: number;
  /** The date of the oldest message. */
  first: number;
  /** The date of the newest message. */
  last: number;
}

export interface UserFilter {
  /** Substring of an identifier, case-insensitive. */
  search?: string;
  limit?: number;
  /** Timeout of the database query, in milliseconds. */
  timeout?: number;
}

/** For operators: the users of a project who have messages, even of a removed one. */
@Injectable()
export class MessageUsers {
  constructor(
    private readonly database: Database,
    @InjectModel(MessageDocument.name) private readonly messages: Model<MessageDocument>,
  ) {}

  /** Ordered by identifier. */
  async *list(project_id: string, { search, limit, timeout }: UserFilter = {}): AsyncGenerator<UserSummary> {
    // Others are in no identifier, and MongoDB refuses some in patterns.
    if (search !== undefined && !USER_ID.test(search)) return;
    const found = search === undefined ? {} : { user_id: { $regex: search, $options: 'i' } };
    const summaries = this.messages
      .aggregate<Omit<UserSummary, 'user_id'> & { _id: string }>([
        { $match: { project_id, ...found } },
        {
          $group: { _id: '$user_id', messages: { $sum: 1 }, first: { $min: '$date' }, last: { $max: '$date' } },
        },
        { $sort: { _id: 1 } },
        ...(limit === undefined ? [] : [{ $limit: limit }]),
      ])
      .allowDiskUse(true)
      .option({ maxTimeMS: timeout ?? LONGEST_OPERATION_MS });
    for await (const { _id: user_id, ...summary } of summaries.cursor()) yield { user_id, ...summary };
  }

  /** The first user after another one, ordered by identifier; undefined if there is none. */
  async next(project_id: string, after: string): Promise<string | undefined> {
    const later = { project_id, user_id: trusted({ $gt: after }) };
    const find = () => this.messages.findOne(later).sort({ user_id: 1 }).select({ user_id: 1 });
    return (await this.database.run(() => find().lean<{ user_id: string }>()))?.user_id;
  }

  /** Every message of a project, grouped by user, oldest first. */
  async *messagesOf(project_id: string): AsyncIterable<MessageDocument> {
    // Scans the index backwards.
    const all = this.messages.find({ project_id }).sort({ user_id: -1, date: 1, _id: 1 }).lean();
    yield* all.maxTimeMS(LONGEST_OPERATION_MS).cursor({ batchSize: EXPORT_BATCH });
  }
}
