import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Owner, ownerKey } from '../auth/index.js';
import { CatalogueService } from '../catalogue/index.js';
import { type Beginning, Erasures } from '../erasures/index.js';
import { FileService, FileUrls } from '../files/index.js';
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

/** A message from elsewhere, to be kept as it is. */
export type ImportedMessage = Pick<MessageDocument, Always | 'answer' | 'avatar_name' | 'fileUrl' | 'rating'>;

/** A message as {@link MessageArchive.add} takes it. */
export type ExportedMessage = Message & Pick<MessageDocument, 'project_id' | 'rating'>;

/**
 * What becomes of an imported message: it is new, the same one is stored already, its `_id` is another message's, or its
 * user was erased, or its project removed, since the import began.
 */
export type ImportOutcome = 'new' | 'stored' | 'taken' | 'erased';

/** Histories as a whole, for operators: what comes in from elsewhere, goes out, and is erased. */
@Injectable()
export class MessageArchive {
  constructor(
    private readonly messages: MessageRepository,
    private readonly removal: MessageRemoval,
    private readonly users: MessageUsers,
    private readonly files: FileService,
    private readonly urls: FileUrls,
    private readonly erasures: Erasures,
    catalogue: CatalogueService,
  ) {
    catalogue.addLeftoverCheck(async (project_ids) => {
      const users = await Promise.all(project_ids.map((project_id) => messages.someUser(project_id)));
      return project_ids.filter((_, index) => users[index] !== undefined);
    });
  }

  /** What {@link add} would make of each message. Writes nothing. */
  async check(messages: readonly ImportedMessage[]): Promise<ImportOutcome[]> {
    return (await this.compare(messages)).outcomes;
  }

  /** When an import begins: for {@link add}. */
  beginning(): Promise<Beginning> {
    return this.erasures.beginning();
  }

  /**
   * Stores those that are new, of any owner, with the identifiers and dates that they have.
   *
   * @param begun when the import began; left out, now
   */
  async add(messages: readonly ImportedMessage[], begun?: Beginning): Promise<ImportOutcome[]> {
    const beginning = begun ?? (await this.beginning());
    const { outcomes, fresh } = await this.compare(messages);
    const marks = beginning > 0 ? { begun: beginning } : {};
    const lost = await this.messages.insertAll(fresh.map((message) => ({ ...message, ...marks })));
    const outcomeOf = new Map<string, ImportOutcome>();
    if (lost.length > 0) {
      const again = await this.compare(lost);
      lost.forEach(({ _id }, index) => outcomeOf.set(_id, again.outcomes[index]!));
    }
    const inserted = fresh.filter(({ _id }) => !outcomeOf.has(_id));
    for (const { _id } of await this.removeErased(inserted, beginning)) outcomeOf.set(_id, 'erased');
    return outcomes.map((outcome, index) => (outcome === 'new' && outcomeOf.get(messages[index]!._id)) || outcome);
  }

  /** Every message of an owner, oldest first, as {@link add} takes them. */
  async *export(owner: Owner): AsyncGenerator<ExportedMessage> {
    for await (const message of this.messages.all(owner)) yield this.exported(message);
  }

  /** Every message of a project, those of a user together and oldest first, as {@link add} takes them. */
  async *exportProject(project_id: string): AsyncGenerator<ExportedMessage> {
    for await (const message of this.users.messagesOf(project_id)) yield this.exported(message);
  }

  private exported(message: MessageDocument): ExportedMessage {
    const { project_id, rating } = message;
    return { project_id, ...present(message, this.urls), ...(rating === undefined ? {} : { rating }) };
  }

  /** The users who have messages in a project, in the order of their identifiers. */
  listUsers(project_id: string, filter?: UserFilter): AsyncGenerator<UserSummary> {
    return this.users.list(project_id, filter);
  }

  /** The first user who has messages in a project after another one, in the order of their identifiers. */
  nextUser(project_id: string, after: string): Promise<string | undefined> {
    return this.users.next(project_id, after);
  }

  /** Erases an owner's messages, and their files with them. @returns how many messages there were. */
  async erase(owner: Owner): Promise<number> {
    // Before the mark: what begins after it may stay, with its files. Those of what is in progress are removed with their
    // messages, or by whoever finds that it must not store them.
    await this.files.removeAll(owner);
    const number = await this.erasures.mark(owner);
    const { project_id, user_id } = owner;
    return this.removal.removeFromBefore({ project_id, user_id }, number, (ids) => this.files.remove(ids));
  }

  /** Those of these messages of an owner that there are. */
  existing(owner: Owner, ids: readonly string[]): Promise<Set<string>> {
    return this.removal.existing(owner, ids);
  }

  /** Undoes what was inserted for users who have been erased since the beginning. @returns which that was */
  private async removeErased(
    inserted: readonly ImportedMessage[],
    beginning: Beginning,
  ): Promise<readonly ImportedMessage[]> {
    const owners = new Map(
      inserted.map(({ project_id, user_id }) => [ownerKey({ project_id, user_id }), { project_id, user_id }]),
    );
    const gone = await this.erasures.erasedOf([...owners.values()], beginning);
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

  /** Some user who has messages in a project, also in one that was removed; undefined where nobody has. */
  someUser(project_id: string): Promise<string | undefined> {
    return this.messages.someUser(project_id);
  }

  /** How much of a project there is since a date, in Unix time in milliseconds. Has `timeout` milliseconds for it. */
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

/** A file of the service's own has another URL each time that its message goes out, so the URL is not compared. */
function isSame(message: ImportedMessage, stored: ImportedMessage & { file_id?: string }): boolean {
  const { fileUrl: _, ...rest } = message;
  return contentOf(stored) === contentOf(stored.file_id === undefined ? message : rest);
}

/** Everything that a message is but its identifier and its rating, which may change: messages are the same if this is. */
export function contentOf(message: Omit<ImportedMessage, '_id'>): string {
  const { project_id, user_id, direction, request, answer, avatar_id, avatar_name, date, chat_type } = message;
  const said = [project_id, user_id, direction, request, answer, avatar_id, avatar_name, date, chat_type];
  return JSON.stringify([...said, message.language_code, message.fileUrl]);
}

/** The identifier of a message that came without one: the same for the same content. */
export function contentId(message: Omit<ImportedMessage, '_id'>): string {
  return createHash('sha256').update(contentOf(message)).digest('hex').slice(0, 24);
}
