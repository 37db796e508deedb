import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { type Model, trusted } from 'mongoose';
import { type Owner, ownerKey } from '../auth/index.js';
import type { ErasureFence, Subject } from '../erasure/index.js';
import { Database } from '../platform/database/index.js';
import { ConversationDocument } from './conversation.schema.js';
import type { ConversationState } from './handover.rules.js';

/** A position in a list. */
export type ConversationCursor = Pick<ConversationDocument, 'since' | '_id'>;

/** Who answers in conversations. */
@Injectable()
export class ConversationRepository {
  constructor(
    private readonly database: Database,
    @InjectModel(ConversationDocument.name) private readonly conversations: Model<ConversationDocument>,
  ) {}

  find(owner: Owner): Promise<ConversationDocument | null> {
    return this.database.run(() => this.conversations.findOne({ _id: ownerKey(owner) }).lean());
  }

  /**
   * Changes a conversation, unless it has changed since.
   *
   * @param known as it was read; null: there was none
   */
  async change(known: ConversationDocument | null, next: ConversationDocument): Promise<boolean> {
    if (!known) return this.database.insert(() => this.conversations.insertMany([next]));
    const { _id, revision, deadline } = known;
    const same = { _id, revision, ...(deadline === undefined ? {} : { deadline }) };
    const { matchedCount } = await this.database.run(() => this.conversations.replaceOne(same, next));
    return matchedCount === 1;
  }

  /** All were told about a change. */
  async markPublished({ _id, unpublished }: ConversationDocument): Promise<void> {
    const change = { _id, 'unpublished.id': unpublished!.id };
    await this.database.run(() => this.conversations.updateOne(change, { $unset: { unpublished: 1 } }));
  }

  /** Postpones the return of a conversation that this person has. */
  async postpone(owner: Owner, name: string, deadline: number): Promise<void> {
    const theirs = { _id: ownerKey(owner), state: 'person' as const, name };
    await this.database.run(() => this.conversations.updateOne(theirs, { $max: { deadline } }));
  }

  /** Conversations whose time is up, and those whose last change is not published, as many of each. */
  async findDue(now: number, limit: number): Promise<ConversationDocument[]> {
    const due = [{ deadline: trusted({ $lte: now }) }, { 'unpublished.id': trusted({ $gt: '' }) }];
    const find = (which: object) => this.database.run(() => this.conversations.find(which).limit(limit).lean());
    return (await Promise.all(due.map(find))).flat();
  }

  /** Conversations of a project in a state, after a position: waiting ones oldest first, others newest first. */
  list(
    project_id: string,
    state: ConversationState,
    limit: number,
    after?: ConversationCursor,
  ): Promise<ConversationDocument[]> {
    const [order, beyond] = state === 'waiting' ? ([1, '$gt'] as const) : ([-1, '$lt'] as const);
    const from = after && {
      $or: [
        { since: trusted({ [beyond]: after.since }) },
        { since: after.since, _id: trusted({ [beyond]: after._id }) },
      ],
    };
    const which = { project_id, state, ...from };
    const find = () => this.conversations.find(which).sort({ since: order, _id: order }).limit(limit).lean();
    return this.database.run(find);
  }

  /** Those of a user, or of all users of a project, that were stored before an erasure. */
  async removeBefore({ project_id, user_id }: Subject, erasure: ErasureFence): Promise<void> {
    const theirs = { project_id, ...(user_id === undefined ? {} : { user_id }), begun: trusted({ $lt: erasure }) };
    await this.database.run(() => this.conversations.deleteMany(theirs));
  }
}
