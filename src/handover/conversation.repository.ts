import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { type Model, trusted } from 'mongoose';
import { type Owner, ownerKey } from '../auth/index.js';
import type { ErasureFence, Subject } from '../erasure/index.js';
import { Database, isDuplicateKey } from '../platform/database/index.js';
import { ConversationDocument, SignalDocument } from './conversation.schema.js';
import type { Conversation, ConversationState } from './handover.rules.js';

const MAX_SIGNALS = 1000;

/** A position in a list. */
export type ConversationCursor = Pick<ConversationDocument, 'since' | '_id'>;

/** Who answers in conversations, and signals about them. */
@Injectable()
export class ConversationRepository {
  constructor(
    private readonly database: Database,
    @InjectModel(ConversationDocument.name) private readonly conversations: Model<ConversationDocument>,
    @InjectModel(SignalDocument.name) private readonly signals: Model<SignalDocument>,
  ) {}

  find(owner: Owner): Promise<ConversationDocument | null> {
    return this.database.run(() => this.conversations.findOne({ _id: ownerKey(owner) }).lean());
  }

  /**
   * Changes a conversation, unless it has changed since.
   *
   * @param known as it was read; null: there was none
   */
  async change(
    { project_id, user_id }: Owner,
    known: ConversationDocument | null,
    next: Conversation & { readonly deadline?: number | undefined },
    begun: ErasureFence,
  ): Promise<boolean> {
    const { state, name, since, deadline } = next;
    const _id = ownerKey({ project_id, user_id });
    const set = { state, since, begun, ...given({ name, deadline }) };
    if (!known) {
      const first = { _id, project_id, user_id, revision: 1, ...set };
      return this.database.run(() =>
        this.conversations.insertMany([first]).then(
          () => true,
          (error: unknown) => {
            if (isDuplicateKey(error)) return false;
            throw error;
          },
        ),
      );
    }
    const unset = Object.fromEntries(
      Object.entries({ name, deadline }).flatMap(([field, value]) => (value === undefined ? [[field, 1]] : [])),
    );
    const { revision } = known;
    const change = { $set: set, $inc: { revision: 1 }, ...(Object.keys(unset).length > 0 ? { $unset: unset } : {}) };
    const same = { _id, revision, ...(known.deadline === undefined ? {} : { deadline: known.deadline }) };
    const { matchedCount } = await this.database.run(() => this.conversations.updateOne(same, change));
    return matchedCount === 1;
  }

  /** Postpones the return of a conversation that this person has. */
  async postpone(owner: Owner, name: string, deadline: number): Promise<void> {
    const theirs = { _id: ownerKey(owner), state: 'person' as const, name };
    await this.database.run(() => this.conversations.updateOne(theirs, { $max: { deadline } }));
  }

  /** Conversations whose time is up. */
  findDue(now: number, limit: number): Promise<ConversationDocument[]> {
    return this.database.run(() =>
      this.conversations
        .find({ deadline: trusted({ $lte: now }) })
        .sort({ deadline: 1 })
        .limit(limit)
        .lean(),
    );
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
    return this.database.run(() =>
      this.conversations
        .find({ project_id, state, ...from })
        .sort({ since: order, _id: order })
        .limit(limit)
        .lean(),
    );
  }

  async removeBefore({ project_id, user_id }: Subject, erasure: ErasureFence): Promise<void> {
    const theirs = { project_id, ...(user_id === undefined ? {} : { user_id }) };
    await this.database.run(() => this.conversations.deleteMany({ ...theirs, begun: trusted({ $lt: erasure }) }));
    await this.removeSignals(theirs);
  }

  async removeProject(project_id: string): Promise<void> {
    await this.database.run(() => this.conversations.deleteMany({ project_id }));
    await this.removeSignals({ project_id });
  }

  async addSignal(signal: SignalDocument): Promise<void> {
    await this.database.run(() => this.signals.insertMany([signal]));
  }

  /** Signals of all projects since a time, oldest first. */
  findSignals(since: Date): Promise<SignalDocument[]> {
    return this.database.run(() =>
      this.signals
        .find({ date: trusted({ $gt: since }) })
        .sort({ date: 1 })
        .limit(MAX_SIGNALS)
        .lean(),
    );
  }

  private async removeSignals(theirs: { project_id: string; user_id?: string }): Promise<void> {
    await this.database.run(() => this.signals.deleteMany(theirs));
  }
}

function given(fields: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
