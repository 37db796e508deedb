import { Injectable } from '@nestjs/common';
import { Owner } from '../auth/index.js';
import { type ErasureFence, ErasureFences, isGone } from '../erasure/index.js';
import { type EventData, Events, type MessageSource, type ServiceEvent } from '../events/index.js';
import { FileService, FileUrls } from '../files/index.js';
import { isDatabaseUnavailable } from '../platform/database/index.js';
import { AlreadyStored, type Draft, MessageAppender } from './message.appender.js';
import { present } from './message.present.js';
import { MessageRemoval } from './message.removal.js';
import { MessageRepository, type Cursor } from './message.repository.js';
import type { MessageDocument } from './message.schema.js';

const BATCH = 100;

export interface RecordOptions {
  /** The user's newest message, as far as known. */
  last?: Cursor;
  /** Start of the operation that stores the messages; omitted: now. */
  fence?: ErasureFence;
  /** A read to run at the same time. */
  meanwhile?: () => Promise<void>;
}

/** Messages were stored, but the check whether they may stay failed. */
class UncheckedError extends Error {
  constructor(cause: unknown) {
    super('Stored messages could not be checked for an erasure', { cause });
    this.name = 'UncheckedError';
  }
}

/** Whether messages may have been stored although recording failed: their files are then left to the sweep. */
export function mayBeStored(error: unknown): boolean {
  return error instanceof UncheckedError || isDatabaseUnavailable(error);
}

/** How long an answer may be spoken before it is finished automatically, in milliseconds; the longest takes minutes. */
const LONGEST_SPEECH_MS = 900_000;

/** Records messages, and publishes their events. */
@Injectable()
export class MessageRecorder implements MessageSource {
  constructor(
    private readonly appender: MessageAppender,
    private readonly messages: MessageRepository,
    private readonly removal: MessageRemoval,
    private readonly files: FileService,
    private readonly events: Events,
    private readonly fences: ErasureFences,
    private readonly urls: FileUrls,
  ) {
    events.readMessagesFrom(this);
  }

  /**
   * As {@link MessageAppender.append}, unless the owner has been erased since the fence: then nothing is kept, and
   * the caller has to remove the files.
   *
   * @throws ServiceError `user_erased`, `project_not_found`
   * @throws UncheckedError
   */
  async append(
    owner: Owner,
    drafts: readonly Draft[],
    now: number,
    options: RecordOptions = {},
  ): Promise<MessageDocument[]> {
    const stored = await this.store(owner, drafts, now, options);
    if (this.events.hasListeners('message.created'))
      for (const message of stored) void this.events.emit(this.eventOf(message));
    // Not awaited: failures are picked up by enqueuePending().
    if (stored[0]?.unpublished_since !== undefined) void this.announce(stored).catch(() => undefined);
    return stored;
  }

  /** As {@link append}. @returns the message that is stored already with this key, or as this greeting, if there is one */
  async appendOnce(owner: Owner, draft: Draft, now: number, options?: RecordOptions): Promise<MessageDocument> {
    try {
      return (await this.append(owner, [draft], now, options))[0]!;
    } catch (error) {
      if (error instanceof AlreadyStored) return error.existing;
      throw error;
    }
  }

  /**
   * Records an unfinished answer: its event is published by {@link finish}, or at its deadline.
   *
   * @throws AlreadyStored if the message has an answer
   * @throws ServiceError `user_erased`, `project_not_found`
   */
  async begin(owner: Owner, draft: Draft, now: number, options: RecordOptions): Promise<MessageDocument> {
    const [stored] = await this.store(owner, [{ ...draft, unfinished_until: now + LONGEST_SPEECH_MS }], now, options);
    return stored!;
  }

  /** Finishes a started answer with its final text. Does nothing if it has been erased. */
  async finish(owner: Owner, _id: string, answer: string): Promise<void> {
    const message = await this.messages.rewrite(owner, _id, answer.toWellFormed());
    if (!message) return;
    if (this.events.hasListeners('message.created')) void this.events.emit(this.eventOf(message));
    if (message.unpublished_since !== undefined) void this.announce([message]).catch(() => undefined);
  }

  /** Removes a started answer that came to nothing. */
  async withdraw(owner: Owner, _id: string): Promise<void> {
    await this.removal.remove(owner, [_id]);
  }

  /** Truncates an answer to the words that were heard. */
  async truncate(owner: Owner, _id: string, answer: string): Promise<void> {
    await this.messages.rewrite(owner, _id, answer.toWellFormed());
  }

  async find(
    project_id: string,
    user_id: string,
    message_id: string,
  ): Promise<EventData['message.created'] | undefined> {
    const message = await this.messages.find(new Owner(project_id, user_id), message_id);
    return message ? this.eventOf(message).data : undefined;
  }

  existing(project_id: string, user_id: string, message_ids: readonly string[]): Promise<Set<string>> {
    return this.removal.existing(new Owner(project_id, user_id), message_ids);
  }

  async enqueuePending(before: number, now: number): Promise<void> {
    for (;;) {
      const overlooked = await this.messages.findUnpublished(before, now, BATCH);
      await this.announce(await this.withoutGone(overlooked));
      if (overlooked.length < BATCH) return;
    }
  }

  private async store(
    owner: Owner,
    drafts: readonly Draft[],
    now: number,
    { last, fence, meanwhile }: RecordOptions,
  ): Promise<MessageDocument[]> {
    const begun = fence ?? (await this.fences.currentFence());
    const hasSubscriber = await this.events.hasSubscriber('message.created', owner.project_id);
    const marks = { ...(hasSubscriber ? { unpublished_since: now } : {}), ...(begun > 0 ? { begun } : {}) };
    const marked = drafts.map((draft) => ({ ...draft, ...marks }));
    const stored = await this.appender.append(owner, marked, now, last, meanwhile);
    await this.assertMayStay(owner, begun, stored);
    return stored;
  }

  /** Undoes what was stored, if it must not stay. */
  private async assertMayStay(owner: Owner, begun: ErasureFence, stored: readonly MessageDocument[]): Promise<void> {
    try {
      await this.fences.assertNotErased(owner, begun);
    } catch (error) {
      if (isGone(error))
        await this.removal.remove(
          owner,
          stored.map(({ _id }) => _id),
        );
      throw isGone(error) || isDatabaseUnavailable(error) ? error : new UncheckedError(error);
    }
  }

  /** Removes those of these messages that a process stored after an erasure, and then crashed. */
  private async withoutGone(messages: readonly MessageDocument[]): Promise<MessageDocument[]> {
    // Concurrently, so that the checks share a read.
    const kept = await Promise.all(messages.map((message) => this.keepUnlessGone(message)));
    return kept.flat();
  }

  private async keepUnlessGone(message: MessageDocument): Promise<MessageDocument[]> {
    try {
      await this.assertMayStay(new Owner(message.project_id, message.user_id), message.begun ?? 0, [message]);
      return [message];
    } catch (error) {
      if (!isGone(error)) throw error;
      if (message.file_id !== undefined) await this.files.remove([message.file_id]);
      return [];
    }
  }

  private async announce(messages: readonly MessageDocument[]): Promise<void> {
    for (const message of messages) {
      const event = this.eventOf(message);
      await this.events.enqueue(event);
      // The user was erased after the message was stored, possibly after the user's other outbox entries were removed.
      if (!(await this.messages.markPublished(message))) await this.events.retract(event.id);
    }
  }

  /** The event's identifier derives from the message's, so that it is the same for every publication. */
  private eventOf(message: MessageDocument): ServiceEvent<'message.created'> {
    const { _id, project_id, date, session } = message;
    const data = { project_id, ...present(message, this.urls), ...(session === undefined ? {} : { session }) };
    return { id: `evt_${_id}`, type: 'message.created', date, data };
  }
}
