import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { type Model, mongo, trusted } from 'mongoose';
import type { Owner } from '../auth/index.js';
import { Database, type FoundBytes, DUPLICATE_KEY } from '../platform/database/index.js';
import { MessageDocument, type Rating } from './message.schema.js';

const NEWEST_FIRST = { date: -1, _id: -1 } as const;
/** Messages of an export that are read at a time: where nobody takes them, they are held. */
const EXPORT_BATCH = 25;

/** A position in a history: that of a message. */
export type Cursor = Pick<MessageDocument, '_id' | 'date'>;

/** What an avatar may need to know of an answer. */
export type RecentAnswer = Pick<MessageDocument, '_id' | 'request' | 'answer' | 'avatar_id' | 'date'>;

export interface MessageCounts {
  messages: number;
  users: number;
  turns: number;
}

/** A turn is a message of a user. */
const IS_TURN = { $cond: [{ $eq: ['$direction', 'outgoing'] }, 1, 0] };

/** Messages, always those of one owner. */
@Injectable()
export class MessageRepository {
  constructor(
    private readonly database: Database,
    @InjectModel(MessageDocument.name) private readonly messages: Model<MessageDocument>,
  ) {}

  /** Newest first: from an offset, or everything before a cursor. */
  page(owner: Owner, from: number | Cursor, limit: number): Promise<MessageDocument[]> {
    const { filter, skip } = rangeOf(owner, from);
    return this.database.run(() => this.messages.find(filter).sort(NEWEST_FIRST).skip(skip).limit(limit).lean());
  }

  /**
   * What {@link page} reads, in the database's own bytes: a BSON array of messages, fewer if they are too large for one
   * answer. The driver would make objects of them, at five times the cost of the rest of the request.
   */
  pageBytes(owner: Owner, from: number | Cursor, limit: number): Promise<FoundBytes> {
    const { filter, skip } = rangeOf(owner, from);
    return this.database.findBytes({ find: this.messages.collection.name, filter, sort: NEWEST_FIRST, skip, limit });
  }

  /** The newest answers that a user was given, newest first. */
  recentAnswers({ project_id, user_id }: Owner, limit: number): Promise<RecentAnswer[]> {
    const needed = { request: 1, answer: 1, avatar_id: 1, date: 1 };
    return this.database.run(() =>
      this.messages
        .find({ project_id, user_id, direction: 'incoming' }, needed)
        .sort(NEWEST_FIRST)
        .limit(limit)
        .lean<RecentAnswer[]>(),
    );
  }

  /** The cursor of a message; null if the owner has no message of that identifier. */
  cursorOf({ project_id, user_id }: Owner, _id: string): Promise<Cursor | null> {
    return this.database.run(() =>
      this.messages.collection.findOne<Cursor>({ _id, project_id, user_id } as object, { projection: { date: 1 } }),
    );
  }

  /** The answer to a message. */
  findAnswer(owner: Owner, outgoing_id: string): Promise<MessageDocument | null> {
    return this.findOne(owner, { answers: outgoing_id });
  }

  /** The user's message that came with a key. */
  findByKey(owner: Owner, idempotency_key: string): Promise<MessageDocument | null> {
    return this.findOne(owner, { idempotency_key });
  }

  /** Whether an avatar has ever said anything to a user. */
  async hasHeardOf({ project_id, user_id }: Owner, avatar_id: string): Promise<boolean> {
    return (await this.database.run(() => this.messages.exists({ project_id, user_id, avatar_id }))) !== null;
  }

  /**
   * Acquires the lease of a message, by which a process says that it asks the avatar about it.
   *
   * @param seen the lease as it was, so that only one of several acquires it
   */
  async acquire({ project_id, user_id }: Owner, _id: string, seen: number, until: number): Promise<boolean> {
    const free = { _id, project_id, user_id, lease_until: seen };
    const { matchedCount } = await this.database.run(() =>
      this.messages.updateOne(free, { $set: { lease_until: until } }),
    );
    return matchedCount === 1;
  }

  /** Renews a lease, or with 0 releases it. */
  async renew({ project_id, user_id }: Owner, _id: string, until: number): Promise<void> {
    await this.database.run(() =>
      this.messages.updateOne({ _id, project_id, user_id }, { $set: { lease_until: until } }),
    );
  }

  /** Counts that an avatar is asked again about a message. @returns from 2: how often it has been asked */
  async countAttempt({ project_id, user_id }: Owner, _id: string): Promise<number> {
    const asked = await this.database.run(() =>
      this.messages
        .findOneAndUpdate({ _id, project_id, user_id }, { $inc: { repeats: 1 } }, { returnDocument: 'after' })
        .select({ repeats: 1 })
        .lean(),
    );
    return 1 + (asked?.repeats ?? 1);
  }

  /** A message of an owner, or null. */
  find(owner: Owner, _id: string): Promise<MessageDocument | null> {
    return this.findOne(owner, { _id });
  }

  /**
   * For events: messages of any owner that were stored before a time, in Unix time in milliseconds, and not announced; and
   * those stored after `now`, by a clock that was ahead. Not those that are still being spoken.
   */
  async findUnpublished(before: number, now: number, limit: number): Promise<MessageDocument[]> {
    const stored = (when: { $lte: number } | { $gt: number }) =>
      this.database.run(() =>
        this.messages
          .find({ unpublished_since: trusted(when), unfinished_until: trusted({ $not: { $gt: now } }) })
          .limit(limit)
          .lean(),
      );
    return [...(await stored({ $lte: before })), ...(await stored({ $gt: now }))];
  }

  /** Changes the text of an answer. @returns it as it is then, or null where it is gone */
  rewrite({ project_id, user_id }: Owner, _id: string, answer: string): Promise<MessageDocument | null> {
    return this.database.run(() =>
      this.messages
        .findOneAndUpdate(
          { _id, project_id, user_id },
          { $set: { answer }, $unset: { unfinished_until: 1 } },
          { returnDocument: 'after' },
        )
        .lean(),
    );
  }

  /** Rates an answer, or with null takes the rating back. @returns it as it was before, or null if there is no such answer */
  rate({ project_id, user_id }: Owner, _id: string, rating: Rating | null): Promise<MessageDocument | null> {
    const change = rating === null ? { $unset: { rating: 1 } } : { $set: { rating } };
    return this.database.run(() =>
      this.messages.findOneAndUpdate({ _id, project_id, user_id, direction: 'incoming' }, change).lean(),
    );
  }

  /** Those of these messages of an owner that are rated. */
  async ratings({ project_id, user_id }: Owner, ids: readonly string[]): Promise<Map<string, Rating>> {
    const these = { project_id, user_id, _id: trusted({ $in: [...ids] }) };
    const found = await this.database.run(() => this.messages.find(these).select({ rating: 1 }).lean());
    return new Map(found.flatMap(({ _id, rating }) => (rating === undefined ? [] : [[_id, rating]])));
  }

  /** @returns false where it is gone. */
  async markPublished({ project_id, user_id, _id }: MessageDocument): Promise<boolean> {
    const { matchedCount } = await this.database.run(() =>
      this.messages.updateOne({ _id, project_id, user_id }, { $unset: { unpublished_since: 1 } }),
    );
    return matchedCount > 0;
  }

  /**
   * For operators: what a project's users have said since a date, in Unix time in milliseconds. Fails as a database that is
   * away does where that takes longer than `timeout`, in milliseconds.
   */
  async count(project_id: string, since: number, timeout: number): Promise<MessageCounts> {
    const [counts] = await this.messages
      .aggregate<MessageCounts>([
        { $match: { project_id, date: { $gte: since } } },
        { $group: { _id: '$user_id', messages: { $sum: 1 }, turns: { $sum: IS_TURN } } },
        { $group: { _id: null, users: { $sum: 1 }, messages: { $sum: '$messages' }, turns: { $sum: '$turns' } } },
        { $project: { _id: 0 } },
      ])
      .option({ maxTimeMS: timeout });
    return counts ?? { messages: 0, users: 0, turns: 0 };
  }

  /** For operators: some user who has messages in a project, also in one that was removed. */
  async someUser(project_id: string): Promise<string | undefined> {
    const found = await this.database.run(() =>
      this.messages.findOne({ project_id }).select({ user_id: 1 }).lean<{ user_id: string }>(),
    );
    return found?.user_id;
  }

  /** The message with which an owner was greeted by an avatar. */
  findGreeting(owner: Owner, greets: string): Promise<MessageDocument | null> {
    return this.findOne(owner, { greets });
  }

  /** The user's newest message. */
  newest({ project_id, user_id }: Owner): Promise<Cursor | null> {
    return this.database.run(() =>
      this.messages.findOne({ project_id, user_id }).sort(NEWEST_FIRST).select({ date: 1 }).lean<Cursor>(),
    );
  }

  private findOne({ project_id, user_id }: Owner, one: Partial<MessageDocument>): Promise<MessageDocument | null> {
    return this.database.run(() => this.messages.findOne({ project_id, user_id, ...one }).lean());
  }

  /** Every message of an owner, oldest first. */
  async *all({ project_id, user_id }: Owner): AsyncIterable<MessageDocument> {
    const all = this.messages.find({ project_id, user_id }).sort({ date: 1, _id: 1 }).lean();
    yield* all.cursor({ batchSize: EXPORT_BATCH });
  }

  /** Those there are of these identifiers, whosever they are: for imports, since `_id` is unique beyond its owner. */
  findAll(ids: readonly string[]): Promise<MessageDocument[]> {
    return this.messages.find({ _id: trusted({ $in: [...ids] }) }).lean();
  }

  /** Stores messages as they are. @returns those whose identifier was taken in the meantime. */
  async insertAll<T extends { _id: string }>(messages: readonly T[]): Promise<T[]> {
    if (messages.length === 0) return [];
    try {
      // Past Mongoose, whose casts and checks of each field take longer than the insert.
      await this.messages.collection.insertMany(messages as never, { ordered: false });
      return [];
    } catch (error) {
      const faults = error instanceof mongo.MongoBulkWriteError ? [error.writeErrors].flat() : [];
      if (faults.length === 0 || faults.some(({ code }) => code !== DUPLICATE_KEY)) throw error;
      return faults.map(({ index }) => messages[index]!);
    }
  }
}

function rangeOf({ project_id, user_id }: Owner, from: number | Cursor) {
  if (typeof from === 'number') return { filter: { project_id, user_id }, skip: from };
  const { date, _id } = from;
  // The first condition alone bounds the walk on the index; the second settles messages of the same millisecond.
  const older = {
    date: trusted({ $lte: date }),
    $or: [{ date: trusted({ $lt: date }) }, { _id: trusted({ $lt: _id }) }],
  };
  return { filter: { project_id, user_id, ...older }, skip: 0 };
}
