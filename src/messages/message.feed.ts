import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { type Model, trusted } from 'mongoose';
import type { Owner } from '../auth/index.js';
import { Database } from '../platform/database/index.js';
import type { Cursor } from './message.repository.js';
import { MessageDocument } from './message.schema.js';

/** A position before every message. */
export const BEFORE_ALL: Cursor = { _id: '', date: -Infinity };

/** A recorded message by its position, and with what orders it among those of its project. */
export type Recorded = Pick<MessageDocument, '_id' | 'user_id' | 'project_id' | 'date'>;
export type Brief = Recorded & Pick<MessageDocument, 'chat_type' | 'unfinished_until'>;

/** Recorded messages whose owners, or whose project, are given. Imported ones, which follow none, are not among them. */
const RECORDED = { follows: trusted({ $exists: true }) };
const OLDEST_FIRST = { date: 1, _id: 1 } as const;
const POSITION = { project_id: 1, user_id: 1, date: 1 } as const;
/** Branches of one query: an index is only used for so many on every server. */
const MAX_BRANCHES = 50;
/** Positions per query. */
export const MAX_POSITIONS = 10_000;

/** Reads messages in the order in which they were recorded, for streams of them. */
@Injectable()
export class MessageFeed {
  constructor(
    private readonly database: Database,
    @InjectModel(MessageDocument.name) private readonly messages: Model<MessageDocument>,
  ) {}

  /** The owner's messages after a position, oldest first. */
  after({ project_id, user_id }: Owner, from: Cursor, limit: number): Promise<MessageDocument[]> {
    const later = { project_id, user_id, ...laterThan(from), ...RECORDED };
    return this.database.run(() => this.messages.find(later).sort(OLDEST_FIRST).limit(limit).select('-sources').lean());
  }

  /** Whether the owner has more than this many messages after a position. */
  async hasMoreThan(count: number, { project_id, user_id }: Owner, from: Cursor): Promise<boolean> {
    const later = { project_id, user_id, ...laterThan(from), ...RECORDED };
    const find = () => this.messages.find(later).sort(OLDEST_FIRST).skip(count).limit(1).select({ _id: 1 }).lean();
    return (await this.database.run(find)).length > 0;
  }

  /** The messages of a project's users that are dated after a time, or have these identifiers, oldest first. */
  ofProject(project_id: string, after: number, limit: number, ids: readonly string[] = []): Promise<Brief[]> {
    const later = { project_id, date: trusted({ $gt: after }), ...RECORDED };
    const which = ids.length === 0 ? later : { $or: [later, { project_id, _id: trusted({ $in: ids }) }] };
    const fields = 'project_id user_id date chat_type unfinished_until';
    return this.database.run(() => this.messages.find(which).sort({ date: 1 }).limit(limit).select(fields).lean());
  }

  /** These messages of a project, in this order. */
  async inOrder(project_id: string, ids: readonly string[]): Promise<MessageDocument[]> {
    const these = { project_id, _id: trusted({ $in: ids }) };
    const find = () => this.messages.find(these).select('-sources').lean();
    const found = ids.length === 0 ? [] : await this.database.run(find);
    return ids.flatMap((id) => found.find(({ _id }) => _id === id) ?? []);
  }

  /** The positions of messages of these owners, by project, that are dated after a time in Unix milliseconds. */
  async since(users: ReadonlyMap<string, readonly string[]>, date: number): Promise<Recorded[]> {
    const branches = [...users].map(([project_id, user_ids]) => ({
      project_id,
      user_id: trusted({ $in: user_ids }),
      date: trusted({ $gt: date }),
    }));
    const found: Recorded[] = [];
    while (branches.length > 0) {
      const $or = branches.splice(0, MAX_BRANCHES);
      const filter = $or.length === 1 ? $or[0]! : { $or };
      const part = this.messages.find(filter).select(POSITION).limit(MAX_POSITIONS).lean<Recorded[]>();
      found.push(...(await this.database.run(() => part)));
    }
    return found;
  }

  /** Those of these messages that belong to one of these users of a project. */
  ofUsers(project_id: string, user_ids: readonly string[], ids: readonly string[]): Promise<Recorded[]> {
    const theirs = { project_id, user_id: trusted({ $in: user_ids }), _id: trusted({ $in: ids }) };
    return this.database.run(() => this.messages.find(theirs).select(POSITION).lean<Recorded[]>());
  }
}

function laterThan({ date, _id }: Cursor) {
  if (date === -Infinity) return {};
  // Only the first condition bounds the index scan; the second handles messages of the same millisecond.
  return {
    date: trusted({ $gte: date }),
    $or: [{ date: trusted({ $gt: date }) }, { _id: trusted({ $gt: _id }) }],
  };
}
