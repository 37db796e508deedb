import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { type Model, mongo, trusted } from 'mongoose';
import type { Owner } from '../auth/index.js';
import { Database, type FoundBytes, DUPLICATE_KEY, LONGEST_OPERATION_MS } from '../platform/database/index.js';
import { MessageDocument, type Rating } from './message.schema.js';

const NEWEST_FIRST = { date: -1, _id: -1 } as const;
/** Messages of an export that are read at a time: they stay in memory until they are consumed. */
const EXPORT_BATCH = 25;

/** A position in a history: that of a message. */
export type Cursor = Pick<MessageDocument, '_id' | 'date'>;

/** The fields of an answer that an avatar may need. */
const NEEDED = { _id: 1, request: 1, answer: 1, avatar_id: 1, date: 1, answers: 1, follows: 1 } as const;
export type RecentAnswer = Pick<MessageDocument, keyof typeof NEEDED>;

/** What the user said last, to whom and how. */
export type NewestRequest = Pick<MessageDocument, 'request' | 'avatar_id' | 'chat_type' | 'language_code'>;

export interface MessageCounts {
  messages: number;
  users: number;
  turns: number;
}

/** A turn is a user's message. */
const IS_TURN = { $cond: [{ $eq: ['$direction', 'outgoing'] }, 1, 0] };

/** Messages, always of one owner. */
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
   * The same as {@link page}, in the database's own bytes: a BSON array of messages, fewer if they are too large for one
   * reply, without the passages of answers. The driver would create objects, at five times the request's other cost.
   */
  pageBytes(owner: Owner, from: number | Cursor, limit: number): Promise<FoundBytes> {
    const which = { find: this.messages.collection.name, ...rangeOf(owner, from), projection: { sources: 0 } };
    return this.database.findBytes({ ...which, sort: NEWEST_FIRST, limit });
  }

  /** A user's latest answers, newest first, and what was said to people in between, which has no answer. */
  recentAnswers({ project_id, user_id }: Owner, limit: number, withPeople = false): Promise<RecentAnswer[]> {
    const answers = { direction: 'incoming' as const };
    const said = withPeople ? { $or: [answers, { conversation: trusted({ $exists: true }) }] } : answers;
    const which = { project_id, user_id, ...said };
    const find = () => this.messages.find(which, NEEDED).sort(NEWEST_FIRST).limit(limit).lean<RecentAnswer[]>();
    return this.database.run(find);
  }

  /** The cursor of a message; null if the owner has no such message. */
  cursorOf({ project_id, user_id }: Owner, _id: string): Promise<Cursor | null> {
    return this.database.run(() =>
      this.messages.collection.findOne<Cursor>({ _id, project_id, user_id } as object, { projection: { date: 1 } }),
    );
  }

  /** The answer to a message. */
  findAnswer(owner: Owner, outgoing_id: string): Promise<MessageDocument | null> {
    return this.findOne(owner, { answers: outgoing_id });
  }

  /** The user's message with an idempotency key. */
  findByKey(owner: Owner, idempotency_key: string): Promise<MessageDocument | null> {
    return this.findOne(owner, { idempotency_key });
  }

  /** Whether an avatar has any message to a user. */
  async hasMessagesFrom({ project_id, user_id }: Owner, avatar_id: string): Promise<boolean> {
    return (await this.database.run(() => this.messages.exists({ project_id, user_id, avatar_id }))) !== null;
  }

  /**
   * Acquires the lease of a message, with which a process asks the avatar about it.
   *
   * @param seen the last known lease, so that only one of several processes acquires it
   */
  acquire(owner: Owner, _id: string, seen: number, until: number): Promise<boolean> {
    return this.changeLease(owner, _id, [seen], until);
  }

  /**
   * Renews a lease, or with 0 releases it.
   *
   * @param own the values that the lease may have if the caller holds it
   * @returns false if another process has acquired it
   */
  renew(owner: Owner, _id: string, own: readonly number[], until: number): Promise<boolean> {
    return this.changeLease(owner, _id, own, until);
  }

  private async changeLease(
    { project_id, user_id }: Owner,
    _id: string,
    from: readonly number[],
    until: number,
  ): Promise<boolean> {
    const held = { _id, project_id, user_id, lease_until: trusted({ $in: [...from] }) };
    const { matchedCount } = await this.database.run(() =>
      this.messages.updateOne(held, { $set: { lease_until: until } }),
    );
    return matchedCount === 1;
  }

  /** Counts another attempt to ask an avatar about a message. @returns the number of attempts, from 2 */
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

  /** The parts of documents that an answer is from; null if the owner has no such message. */
  async findSources({ project_id, user_id }: Owner, _id: string): Promise<MessageDocument['sources'] | null> {
    const found = await this.database.run(() =>
      this.messages.findOne({ _id, project_id, user_id }).select({ sources: 1 }).lean(),
    );
    return found && (found.sources ?? []);
  }

  /**
   * For events: messages of any owner that were stored before a time, in Unix time in milliseconds, and not announced;
   * and those stored after `now`, by a clock that was ahead. Excludes messages that are still being spoken.
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

  /** Changes the text of an answer. @returns the updated message, or null if it was removed */
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

  /**
   * Rates an answer, or removes the rating (null). @returns the message before the change, or null if there is no such
   * answer
   */
  rate({ project_id, user_id }: Owner, _id: string, rating: Rating | null): Promise<MessageDocument | null> {
    const change = rating === null ? { $unset: { rating: 1 } } : { $set: { rating } };
    return this.database.run(() =>
      this.messages.findOneAndUpdate({ _id, project_id, user_id, direction: 'incoming' }, change).lean(),
    );
  }

  /** Those of these messages of an owner that have a rating. */
  async ratings({ project_id, user_id }: Owner, ids: readonly string[]): Promise<Map<string, Rating>> {
    const these = { project_id, user_id, _id: trusted({ $in: [...ids] }) };
    const found = await this.database.run(() => this.messages.find(these).select({ rating: 1 }).lean());
    return new Map(found.flatMap(({ _id, rating }) => (rating === undefined ? [] : [[_id, rating]])));
  }

  /** @returns false if it was removed */
  async markPublished({ project_id, user_id, _id }: MessageDocument): Promise<boolean> {
    const { matchedCount } = await this.database.run(() =>
      this.messages.updateOne({ _id, project_id, user_id }, { $unset: { unpublished_since: 1 } }),
    );
    return matchedCount > 0;
  }

  /**
   * For operators: counts the messages of a project's users since a date, in Unix time in milliseconds. Fails like an
   * unavailable database if it takes longer than `timeout`, in milliseconds.
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

  /** For operators: some user who has messages in a project, even a removed one. */
  async someUser(project_id: string): Promise<string | undefined> {
    const found = await this.database.run(() =>
      this.messages.findOne({ project_id }).select({ user_id: 1 }).lean<{ user_id: string }>(),
    );
    return found?.user_id;
  }

  /** The greeting of an owner by an avatar. */
  findGreeting(owner: Owner, greets: string): Promise<MessageDocument | null> {
    return this.findOne(owner, { greets });
  }

  /** Marks a user's message that gets no answer of the avatar: a repeated request finds the same. */
  async markHandedOver(
    { project_id, user_id }: Owner,
    _id: string,
    conversation: NonNullable<MessageDocument['conversation']>,
  ): Promise<void> {
    const change = { $set: { conversation, lease_until: 0 } };
    await this.database.run(() => this.messages.updateOne({ _id, project_id, user_id }, change));
  }

  /** What the user said last. */
  newestRequest({ project_id, user_id }: Owner): Promise<NewestRequest | null> {
    return this.database.run(() =>
      this.messages
        .findOne({ project_id, user_id, direction: 'outgoing' as const })
        .sort(NEWEST_FIRST)
        .select({ request: 1, avatar_id: 1, chat_type: 1, language_code: 1 })
        .lean<NewestRequest>(),
    );
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
    yield* all.maxTimeMS(LONGEST_OPERATION_MS).cursor({ batchSize: EXPORT_BATCH });
  }

  /** Messages with these identifiers, of any owner: for imports, since `_id` is globally unique. */
  findAll(ids: readonly string[]): Promise<MessageDocument[]> {
    return this.messages.find({ _id: trusted({ $in: [...ids] }) }).lean();
  }

  /** Stores messages unchanged. @returns those whose identifier was inserted by others in the meantime */
  async insertAll<T extends { _id: string }>(messages: readonly T[]): Promise<T[]> {
    if (messages.length === 0) return [];
    try {
      // Bypasses Mongoose, whose casts and validation take longer than the insert.
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
  // Only the first condition bounds the index scan; the second handles messages of the same millisecond.
  const older = {
    date: trusted({ $lte: date }),
    $or: [{ date: trusted({ $lt: date }) }, { _id: trusted({ $lt: _id }) }],
  };
  return { filter: { project_id, user_id, ...older }, skip: 0 };
}
