import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Owner, ownerKey } from '../auth/index.js';
import { CatalogueService } from '../catalogue/index.js';
import { ErasableData, type ErasureFence, ErasureFences, type Subject } from '../erasure/index.js';
import { Events } from '../events/index.js';
import { FileService, FileUrls } from '../files/index.js';
import { counted, loggerOf } from '../platform/logging/index.js';
import type { Message } from './message.dto.js';
import { present } from './message.present.js';
import { MessageRemoval } from './message.removal.js';
import { MessageUsers, type UserFilter, type UserSummary } from './message.users.js';
import { type MessageCounts, MessageRepository } from './message.repository.js';
import type { MessageDocument } from './message.schema.js';

type Always =
  | '_id'
  | 'project_id'
  | 'user_id'
  | 'direction'
  | 'request'
  | 'avatar_id'
  | 'date'
  | 'chat_type'
  | 'language_code';

/** An imported message, stored unchanged. */
export type ImportedMessage = Pick<MessageDocument, Always | 'answer' | 'avatar_name' | 'fileUrl' | 'rating'>;

/** A message as {@link MessageArchive.add} takes it. */
export type ExportedMessage = Message & Pick<MessageDocument, 'project_id' | 'rating'>;

/**
 * The outcome for an imported message: inserted, already stored, its `_id` belongs to another message, or its user was
 * erased or its project removed since the import started.
 */
export type ImportOutcome = 'new' | 'stored' | 'taken' | 'erased';

/** Whole histories, for operators: import, export and erasure. */
@Injectable()
export class MessageArchive extends ErasableData {
  readonly name = 'messages';
  private readonly logger = loggerOf(MessageArchive.name);

  constructor(
    private readonly messages: MessageRepository,
    private readonly removal: MessageRemoval,
    private readonly users: MessageUsers,
    private readonly files: FileService,
    private readonly urls: FileUrls,
    private readonly fences: ErasureFences,
    private readonly events: Events,
    catalogue: CatalogueService,
  ) {
    super();
    catalogue.addLeftoverCheck(async (project_ids) => {
      const users = await Promise.all(project_ids.map((project_id) => messages.someUser(project_id)));
      return project_ids.filter((_, index) => users[index] !== undefined);
    });
  }

  /** The outcome that {@link add} would have for each message. Writes nothing. */
  async check(messages: readonly ImportedMessage[]): Promise<ImportOutcome[]> {
    return (await this.compare(messages)).outcomes;
  }

  /** The fence of an import: for {@link add}. */
  currentFence(): Promise<ErasureFence> {
    return this.fences.currentFence();
  }

  /**
   * Stores new messages, of any owner, with their identifiers and dates.
   *
   * @param begun the fence of the import; by default, the current one
   */
  async add(messages: readonly ImportedMessage[], begun?: ErasureFence): Promise<ImportOutcome[]> {
    const fence = begun ?? (await this.currentFence());
    const { outcomes, fresh } = await this.compare(messages);
    const marks = fence > 0 ? { begun: fence } : {};
    const lost = await this.messages.insertAll(fresh.map((message) => ({ ...message, ...marks })));
    const outcomeOf = new Map<string, ImportOutcome>();
    if (lost.length > 0) {
      const again = await this.compare(lost);
      lost.forEach(({ _id }, index) => outcomeOf.set(_id, again.outcomes[index]!));
    }
    const inserted = fresh.filter(({ _id }) => !outcomeOf.has(_id));
    for (const { _id } of await this.removeErased(inserted, fence)) outcomeOf.set(_id, 'erased');
    return outcomes.map((outcome, index) => (outcome === 'new' && outcomeOf.get(messages[index]!._id)) || outcome);
  }

  /** Every message of an owner, oldest first, in the format of {@link add}. */
  async *export(owner: Owner): AsyncGenerator<ExportedMessage> {
    for await (const message of this.messages.all(owner)) yield this.exported(message);
  }

  /** Every message of a project, grouped by user, oldest first, in the format of {@link add}. */
  async *exportProject(project_id: string): AsyncGenerator<ExportedMessage> {
    for await (const message of this.users.messagesOf(project_id)) yield this.exported(message);
  }

  private exported(message: MessageDocument): ExportedMessage {
    const { project_id, rating } = message;
    return { project_id, ...present(message, this.urls), ...(rating === undefined ? {} : { rating }) };
  }

  /** The users who have messages in a project, ordered by identifier. */
  listUsers(project_id: string, filter?: UserFilter): AsyncGenerator<UserSummary> {
    return this.users.list(project_id, filter);
  }

  /** The first user after another one, by identifier, who has messages in a project. */
  nextUser(project_id: string, after: string): Promise<string | undefined> {
    return this.users.next(project_id, after);
  }

  override eraseUser({ project_id, user_id }: Owner, erasure: ErasureFence): Promise<number> {
    return this.eraseBefore({ project_id, user_id }, erasure);
  }

  override async eraseLeftovers(subject: Subject, erasure: ErasureFence): Promise<void> {
    const removed = await this.eraseBefore(subject, erasure);
    if (removed === 0) return;
    await this.events.emitAndWait('messages.removed', subject);
    this.logger.log(`Removed ${counted(removed, 'message')} left by an erasure`);
  }

  private eraseBefore(subject: Pick<Subject, 'project_id' | 'user_id'>, erasure: ErasureFence): Promise<number> {
    return this.removal.removeFromBefore(subject, erasure, (ids) => this.files.remove(ids));
  }

  /** Undoes inserts for users who have been erased since. @returns what was undone */
  private async removeErased(
    inserted: readonly ImportedMessage[],
    fence: ErasureFence,
  ): Promise<readonly ImportedMessage[]> {
    const owners = new Map(
      inserted.map(({ project_id, user_id }) => [ownerKey({ project_id, user_id }), { project_id, user_id }]),
    );
    const gone = await this.fences.erasedOf([...owners.values()], fence);
    const removed: ImportedMessage[] = [];
    for (const key of gone) {
      const { project_id, user_id } = owners.get(key)!;
      const theirs = inserted.filter((message) => message.project_id === project_id && message.user_id === user_id);
      await this.removal.remove(
        new Owner(project_id, user_id),
        theirs.map(({ _id }) => _id),
      );
      removed.push(...theirs);
    }
    return removed;
  }

  /** Some user who has messages in a project, even a removed one; undefined if there is none. */
  someUser(project_id: string): Promise<string | undefined> {
    return this.messages.someUser(project_id);
  }

  /**
   * Counts messages and users of a project since a date, in Unix time in milliseconds, with a `timeout` in
   * milliseconds.
   */
  count(project_id: string, since: number, timeout: number): Promise<MessageCounts> {
    return this.messages.count(project_id, since, timeout);
  }

  private async compare(
    messages: readonly ImportedMessage[],
  ): Promise<{ outcomes: ImportOutcome[]; fresh: ImportedMessage[] }> {
    const stored = await this.messages.findAll(messages.map(({ _id }) => _id));
    const known = new Map<string, ImportedMessage & { file_id?: string }>(
      stored.map((message) => [message._id, message]),
    );
    const fresh: ImportedMessage[] = [];
    const outcomes = messages.map((message): ImportOutcome => {
      const other = known.get(message._id);
      if (other) return isSame(message, other) ? 'stored' : 'taken';
      known.set(message._id, message);
      fresh.push(message);
      return 'new';
    });
    return { outcomes, fresh };
  }
}

/** The URL of a stored file changes with every export, so it is not compared. */
function isSame(message: ImportedMessage, stored: ImportedMessage & { file_id?: string }): boolean {
  const { fileUrl: _, ...rest } = message;
  return contentOf(stored) === contentOf(stored.file_id === undefined ? message : rest);
}

/**
 * All content of a message except its identifier and its rating, which may change: messages with equal content are the
 * same.
 */
export function contentOf(message: Omit<ImportedMessage, '_id'>): string {
  const { project_id, user_id, direction, request, answer, avatar_id, avatar_name, date, chat_type } = message;
  const said = [project_id, user_id, direction, request, answer, avatar_id, avatar_name, date, chat_type];
  return JSON.stringify([...said, message.language_code, message.fileUrl]);
}

/** The identifier of an imported message without one: derived from its content. */
export function contentId(message: Omit<ImportedMessage, '_id'>): string {
  return hash('sha256', contentOf(message)).slice(0, 24);
}
