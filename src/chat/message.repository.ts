import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { type Model, mongo, trusted, Types } from 'mongoose';
import type { Owner } from '../auth/index.js';
import { Database, type FoundBytes } from '../database/index.js';
import { MessageDocument } from './message.schema.js';

const NEWEST_FIRST = { date: -1, _id: -1 } as const;
const DUPLICATE_KEY = 11000;
/** How often a message that lost its place to another process's is put behind that one. */
const ATTEMPTS = 100;
/** Messages of an export that are read at a time: where nobody takes them, they are held. */
const EXPORT_BATCH = 25;

/** A place in a history: the message there. */
export type Place = Pick<MessageDocument, '_id' | 'date'>;

/** What an avatar may need to know of an answer. */
export type RecentAnswer = Pick<MessageDocument, '_id' | 'request' | 'answer' | 'avatar_id' | 'date'>;

export interface MessageCounts {
  messages: number;
  users: number;
  turns: number;
}

/** A turn is a message of a user. */
const IS_TURN = { $cond: [{ $eq: ['$direction', 'outgoing'] }, 1, 0] };

/** A message to be recorded; its identifier, owner, date and place are the repository's to give. */
export type Draft = Omit<MessageDocument, '_id' | 'project_id' | 'user_id' | 'date' | 'follows'>;

/** What may be stored only once is, by another request. */
export class AlreadyStored extends Error {
  constructor(readonly existing: MessageDocument) {
    super('The message is stored already');
    this.name = 'AlreadyStored';
  }
}

/** Messages, always those of one owner. */
@Injectable()
export class MessageRepository {
  constructor(
    private readonly database: Database,
    @InjectModel(MessageDocument.name) private readonly messages: Model<MessageDocument>,
  ) {}

  /** Newest first, from the so manyth on or of those older than a place. */
  page(owner: Owner, from: number | Place, limit: number): Promise<MessageDocument[]> {
    const { filter, skip } = rangeOf(owner, from);
    return this.database.run(() => this.messages.find(filter).sort(NEWEST_FIRST).skip(skip).limit(limit).lean());
  }

  /**
   * What {@link page} reads, in the database's own bytes: a BSON array of messages, fewer if they are too large for one
   * answer. The driver would make objects of them, at five times the cost of the rest of the request.
   */
  pageBytes(owner: Owner, from: number | Place, limit: number): Promise<FoundBytes> {
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

  /** Where a message stands, or null where the owner has none of that identifier. */
  place({ project_id, user_id }: Owner, _id: string): Promise<Place | null> {
    return this.database.run(() =>
      this.messages.collection.findOne<Place>({ _id, project_id, user_id } as object, { projection: { date: 1 } }),
    );
  }

  /**
   * Records messages in this order, each at least 1 ms after the user's newest.
   *
   * @param now milliseconds since 1970
   * @param last the user's newest message, as far as is known; what has come since is found out by itself
   * @throws AlreadyStored where the first one's answer, greeting or idempotency key is stored already
   */
  async append(
    { project_id, user_id }: Owner,
    drafts: readonly Draft[],
    now: number,
    last?: Place,
  ): Promise<MessageDocument[]> {
    for (let attempt = 1; ; attempt++) {
      const newest = (attempt === 1 && last) || (await this.newest({ project_id, user_id }));
      let { _id: follows, date } = newest ?? { _id: '', date: 0 };
      const messages = drafts.map((draft): MessageDocument => {
        date = Math.max(now, date + 1);
        const message = { _id: new Types.ObjectId().toHexString(), project_id, user_id, ...draft, date, follows };
        follows = message._id;
        return message;
      });
      try {
        await this.database.run(() => this.messages.insertMany(messages, { ordered: true, lean: true }));
        return messages;
      } catch (error) {
        if (!(error instanceof mongo.MongoServerError && error.code === DUPLICATE_KEY)) throw error;
        const existing = await this.findTwin({ project_id, user_id }, drafts[0]!);
        if (existing) throw new AlreadyStored(existing);
        if (attempt === ATTEMPTS) throw error;
      }
    }
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
   * Says that this process asks the avatar about a message, unless another has said so.
   *
   * @param now milliseconds since 1970, as is `until`
   */
  async claim({ project_id, user_id }: Owner, _id: string, now: number, until: number): Promise<boolean> {
    const free = { _id, project_id, user_id, asking_until: trusted({ $lte: now }) };
    const { matchedCount } = await this.database.run(() =>
      this.messages.updateOne(free, { $set: { asking_until: until } }),
    );
    return matchedCount === 1;
  }

  /** Prolongs what {@link claim} said, or with 0 takes it back. */
  async prolong({ project_id, user_id }: Owner, _id: string, until: number): Promise<void> {
    await this.database.run(() =>
      this.messages.updateOne({ _id, project_id, user_id }, { $set: { asking_until: until } }),
    );
  }

  /** A message of an owner, or null. */
  find(owner: Owner, _id: string): Promise<MessageDocument | null> {
    return this.findOne(owner, { _id });
  }

  /** For events: messages of any owner that were stored before a time in milliseconds since 1970, and not announced. */
  findUnannounced(before: number, limit: number): Promise<MessageDocument[]> {
    const overlooked = { unannounced: trusted({ $lte: before }) };
    return this.database.run(() => this.messages.find(overlooked).limit(limit).lean());
  }

  async markAnnounced({ project_id, user_id, _id }: MessageDocument): Promise<void> {
    await this.database.run(() =>
      this.messages.updateOne({ _id, project_id, user_id }, { $unset: { unannounced: 1 } }),
    );
  }

  /** For retention: messages of a project, of any user, from before a date in milliseconds since 1970. */
  findExpired(project_id: string, date: number, limit: number): Promise<Pick<MessageDocument, '_id' | 'file_id'>[]> {
    const expired = { project_id, date: trusted({ $lt: date }) };
    return this.database.run(() => this.messages.find(expired).select({ file_id: 1 }).limit(limit).lean());
  }

  /** @returns how many were still there. */
  async removeExpired(project_id: string, expired: readonly Pick<MessageDocument, '_id'>[]): Promise<number> {
    const these = { project_id, _id: trusted({ $in: expired.map(({ _id }) => _id) }) };
    return (await this.database.run(() => this.messages.deleteMany(these))).deletedCount;
  }

  /**
   * For operators: what a project's users have said since a date, in milliseconds since 1970. Fails as a database that is
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

  private newest({ project_id, user_id }: Owner): Promise<Place | null> {
    return this.database.run(() =>
      this.messages.findOne({ project_id, user_id }).sort(NEWEST_FIRST).select({ date: 1 }).lean<Place>(),
    );
  }

  private async findTwin(owner: Owner, { answers, greets, idempotency_key }: Draft): Promise<MessageDocument | null> {
    if (answers !== undefined) return this.findAnswer(owner, answers);
    if (greets !== undefined) return this.findOne(owner, { greets });
    return idempotency_key === undefined ? null : this.findByKey(owner, idempotency_key);
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

  /** @returns how many there were. */
  async eraseAll({ project_id, user_id }: Owner): Promise<number> {
    return (await this.messages.deleteMany({ project_id, user_id })).deletedCount;
  }
}

function rangeOf({ project_id, user_id }: Owner, from: number | Place) {
  if (typeof from === 'number') return { filter: { project_id, user_id }, skip: from };
  const { date, _id } = from;
  // The first condition alone bounds the walk on the index; the second settles messages of the same millisecond.
  const older = {
    date: trusted({ $lte: date }),
    $or: [{ date: trusted({ $lt: date }) }, { _id: trusted({ $lt: _id }) }],
  };
  return { filter: { project_id, user_id, ...older }, skip: 0 };
}
