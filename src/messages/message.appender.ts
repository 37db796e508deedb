import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { type Model, trusted } from 'mongoose';
import { KeyedQueues } from 'avatar-chat-runtime';
import { type Owner, ownerKey } from '../auth/index.js';
import { LAST_DATE_MS } from '../platform/config/index.js';
import { Database, isDatabaseUnavailable, isDuplicateKey, newId } from '../platform/database/index.js';
import { failure } from '../platform/errors/index.js';
import { MessageRepository, type Cursor } from './message.repository.js';
import { MessageDocument } from './message.schema.js';

const YEAR_MS = 365 * 86_400_000;
/** A newest message dated later than this would block new ones, and is moved to the date below. */
const LATEST_MS = LAST_DATE_MS - YEAR_MS;
const MOVED_TO_MS = LAST_DATE_MS - 1000 * YEAR_MS;
/** How often a message that conflicts with one of another process is retried behind it, */
const ATTEMPTS = 40;
/** and for how long at most, in milliseconds. */
const MAX_APPEND_MS = 3000;
/** Upper limit of the random delay before a retry, in milliseconds, so that processes do not keep colliding. */
const MAX_PAUSE_MS = 10;

/** A message to be recorded; owner, date and position are set on insertion, and its identifier unless it has one. */
export type Draft = Omit<MessageDocument, '_id' | 'project_id' | 'user_id' | 'date' | 'follows'> & { _id?: string };

/** A unique message was already stored by another request. */
export class AlreadyStored extends Error {
  constructor(readonly existing: MessageDocument) {
    super('The message is stored already');
    this.name = 'AlreadyStored';
  }
}

/**
 * Appends messages to a user's history. Within this process, appends are sequential; between processes the unique index
 * on `follows` decides, and the loser retries.
 */
@Injectable()
export class MessageAppender {
  private readonly queues = new KeyedQueues(() => failure('service_unavailable'));

  constructor(
    private readonly database: Database,
    private readonly repository: MessageRepository,
    @InjectModel(MessageDocument.name) private readonly messages: Model<MessageDocument>,
  ) {}

  /**
   * Records messages in this order, each at least 1 ms after the user's newest.
   *
   * @param now Unix time in milliseconds
   * @param last the user's newest message, as far as known; newer ones are detected
   * @param meanwhile is read at the same time, so that a user's concurrent requests do not all query the database at
   *   once
   * @throws AlreadyStored if the answer, greeting or idempotency key of the first one is already stored
   * @throws ServiceError `service_unavailable` if too many others append at the same time
   */
  append(
    owner: Owner,
    drafts: readonly Draft[],
    now: number,
    last?: Cursor,
    meanwhile?: () => Promise<void>,
  ): Promise<MessageDocument[]> {
    const task = async () => {
      const [messages] = await Promise.all([this.appendNext(owner, drafts.map(wellFormed), now, last), meanwhile?.()]);
      return messages;
    };
    return this.queues.run(ownerKey(owner), task, isDatabaseUnavailable);
  }

  private async appendNext(
    { project_id, user_id }: Owner,
    drafts: readonly Draft[],
    now: number,
    last?: Cursor,
  ): Promise<MessageDocument[]> {
    const started = performance.now();
    for (let attempt = 1; ; attempt++) {
      const newest = (attempt === 1 && last) || (await this.repository.newest({ project_id, user_id }));
      if (newest && newest.date > LATEST_MS) {
        await this.makeRoom({ project_id, user_id });
        continue;
      }
      let { _id: follows, date } = newest ?? { _id: '', date: 0 };
      const messages = drafts.map((draft): MessageDocument => {
        date = Math.max(now, date + 1);
        const message = { _id: newId(), project_id, user_id, ...draft, date, follows };
        follows = message._id;
        return message;
      });
      try {
        await this.database.run(() => this.messages.insertMany(messages, { ordered: true, lean: true }));
        return messages;
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        // A driver that got no response sends a write again: then these very messages are stored.
        if (await this.repository.find({ project_id, user_id }, messages.at(-1)!._id)) return messages;
        const existing = await this.findTwin({ project_id, user_id }, drafts[0]!);
        if (existing) throw new AlreadyStored(existing);
        if (!isOfFollows(error)) throw error;
        if (attempt === ATTEMPTS || performance.now() - started > MAX_APPEND_MS) throw failure('service_unavailable');
        if (attempt > 1) await delay(Math.random() * MAX_PAUSE_MS);
      }
    }
  }

  /** Moves messages from the last representable date, which imports once accepted: nothing could come after them. */
  private async makeRoom({ project_id, user_id }: Owner): Promise<void> {
    const last = { project_id, user_id, date: trusted({ $gt: MOVED_TO_MS }) };
    await this.database.run(() => this.messages.updateMany(last, { $set: { date: MOVED_TO_MS } }));
  }

  private async findTwin(owner: Owner, { answers, greets, idempotency_key }: Draft): Promise<MessageDocument | null> {
    if (answers !== undefined) return this.repository.findAnswer(owner, answers);
    if (greets !== undefined) return this.repository.findGreeting(owner, greets);
    return idempotency_key === undefined ? null : this.repository.findByKey(owner, idempotency_key);
  }
}

/** Detected by the index name, which all servers include in the message. */
function isOfFollows({ message }: Error): boolean {
  return message.includes('follows');
}

/** Lone surrogates are not characters: the database would store something else, and a repeated turn would differ. */
function wellFormed(draft: Draft): Draft {
  const { request, answer } = draft;
  return {
    ...draft,
    request: request.toWellFormed(),
    ...(answer === undefined ? {} : { answer: answer.toWellFormed() }),
  };
}
