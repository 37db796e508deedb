import { Injectable } from '@nestjs/common';
import type { Owner } from '../auth/index.js';
import type { ChatType } from '../catalogue/index.js';
import { Clock } from '../config/index.js';
import { FileUrls } from '../files/index.js';
import type { HistoryPage, Message } from './chat.dto.js';
import { invalidBefore } from './chat.errors.js';
import { MessageRepository, type Place } from './message.repository.js';
import type { MessageDocument } from './message.schema.js';

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

/** Which part of a history: a page by its number from 1, or what lies before a message. */
export interface HistoryRange {
  /** 1–1000. */
  limit: number;
  page?: number;
  before?: string;
}

/** A user's messages, for this room's controller and for other modules. */
@Injectable()
export class ChatService {
  constructor(
    private readonly messages: MessageRepository,
    private readonly clock: Clock,
    private readonly urls: FileUrls,
  ) {}

  /**
   * Stores a turn as two messages, `outgoing` and then `incoming`, after everything that the user has.
   *
   * @throws DatabaseAwayError
   */
  async record({ owner, answer, avatar_name, ...said }: Turn): Promise<{ outgoing: Message; incoming: Message }> {
    const [outgoing, incoming] = await this.messages.append(
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
   * @throws ServiceError `invalid_before` where the owner has no such message.
   * @throws DatabaseAwayError
   */
  async page(owner: Owner, { limit, page = 1, before }: HistoryRange): Promise<HistoryPage> {
    // One more than asked for tells whether there are more.
    const found =
      before === undefined
        ? await this.messages.page(owner, (page - 1) * limit, limit + 1)
        : await this.messages.pageBefore(owner, await this.place(owner, before), limit + 1);
    return {
      payload: found.slice(0, limit).map((message) => present(message, this.urls)),
      has_more_messages: found.length > limit,
    };
  }

  private async place(owner: Owner, message_id: string): Promise<Place> {
    const place = await this.messages.place(owner, message_id);
    if (!place) throw invalidBefore();
    return place;
  }
}

/** A message as the interface has it; the URL of its file is made anew each time. */
export function present(message: MessageDocument, urls: FileUrls): Message {
  const { _id, direction, user_id, request, answer, avatar_id, avatar_name, date, chat_type, language_code } = message;
  const incoming = direction === 'incoming';
  const fileUrl = message.file_id === undefined ? message.fileUrl : urls.sign(message.file_id);
  return {
    _id,
    direction,
    user_id,
    request,
    ...(incoming ? { answer } : {}),
    avatar_id,
    ...(incoming ? { avatar_name } : {}),
    date,
    chat_type,
    language_code,
    ...(fileUrl === undefined ? {} : { fileUrl }),
  };
}
