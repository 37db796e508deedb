import { Injectable } from '@nestjs/common';
import type { Owner } from '../auth/index.js';
import type { ChatType } from '../catalogue/index.js';
import { Clock } from '../platform/config/index.js';
import { FileUrls } from '../files/index.js';
import { failure } from '../platform/errors/index.js';
import type { HistoryPage, HistoryRange } from './chat.dto.js';
import { type Message, present, MessageRecorder, MessageRepository, type Cursor } from '../messages/index.js';

/** One exchange: what a user said and what an avatar answered. */
export interface Turn {
  owner: Owner;
  avatar_id: string;
  avatar_name: string;
  request: string;
  answer: string;
  chat_type: ChatType;
  language_code: string;
}

/** A user's messages, for this module's controller and for other modules. */
@Injectable()
export class ChatService {
  constructor(
    private readonly messages: MessageRepository,
    private readonly recorder: MessageRecorder,
    private readonly clock: Clock,
    private readonly urls: FileUrls,
  ) {}

  /**
   * Stores a turn as two messages, `outgoing` and then `incoming`, at the end of the user's history.
   *
   * @throws DatabaseUnavailableError
   */
  async record({ owner, answer, avatar_name, ...said }: Turn): Promise<{ outgoing: Message; incoming: Message }> {
    const [outgoing, incoming] = await this.recorder.append(
      owner,
      [
        { ...said, direction: 'outgoing' },
        { ...said, direction: 'incoming', answer, avatar_name },
      ],
      this.clock.now(),
    );
    return { outgoing: present(outgoing!, this.urls), incoming: present(incoming!, this.urls) };
  }

  /**
   * A part of the owner's history, newest first.
   *
   * @throws ServiceError `invalid_before` if the owner has no such message
   * @throws DatabaseUnavailableError
   */
  async page(owner: Owner, range: HistoryRange): Promise<HistoryPage> {
    const { limit } = range;
    // One more than requested, to know whether there are more.
    const found = await this.messages.page(owner, await startOf(owner, range, this.messages), limit + 1);
    return {
      payload: found.slice(0, limit).map((message) => present(message, this.urls)),
      has_more_messages: found.length > limit,
    };
  }
}

/**
 * Where a part of a history starts: at an offset, or after a message.
 *
 * @throws ServiceError `invalid_before` if the owner has no such message
 */
export async function startOf(
  owner: Owner,
  { limit, page = 1, before }: HistoryRange,
  messages: MessageRepository,
): Promise<number | Cursor> {
  if (before === undefined) return (page - 1) * limit;
  const cursor = await messages.cursorOf(owner, before);
  if (!cursor) throw failure('invalid_before');
  return cursor;
}
