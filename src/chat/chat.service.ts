import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import type { Owner } from '../auth/index.js';
import type { ChatType } from 'avatar-chat-catalogue';
import { Clock } from '../platform/config/index.js';
import { FileUrls } from '../files/index.js';
import type { HistoryPage, HistoryRange } from './chat.dto.js';
import { HistoryPages } from './history/history.pages.js';
import { startOf } from './history/history.start.js';
import type { HandedOverTurn, TurnResponse } from './turns/turn.dto.js';
import type { TurnInput } from './turns/turn.intake.js';
import { type Listener, type TurnEvent, TurnService } from './turns/turn.service.js';
import { type Unasked, UnaskedMessages } from './unasked.messages.js';
import { type Message, present, MessageRecorder, MessageRepository } from '../messages/index.js';

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

/** A user's turns and messages, for this module's controller and for other modules. */
@Injectable()
export class ChatService {
  constructor(
    private readonly messages: MessageRepository,
    private readonly recorder: MessageRecorder,
    private readonly clock: Clock,
    private readonly urls: FileUrls,
    private readonly turns: TurnService,
    private readonly pages: HistoryPages,
    private readonly unasked: UnaskedMessages,
  ) {}

  /**
   * Runs a turn, event by event. Nothing is stored before the first one.
   *
   * @throws ServiceError, before the first event, if the request is invalid
   */
  streamTurn(input: TurnInput, listener?: Listener): AsyncGenerator<TurnEvent, void> {
    return this.turns.runTurn(input, listener);
  }

  /** Runs a turn. It has no `incoming` message if a person answers, later. @throws ServiceError */
  async createTurn(input: TurnInput): Promise<TurnResponse | HandedOverTurn> {
    const turn: Partial<TurnResponse & HandedOverTurn> = {};
    for await (const { event, data } of this.turns.runTurn(input, { isPatient: true })) {
      if (event === 'outgoing' || event === 'incoming') turn[event] = data;
      else if (event === 'conversation') turn.conversation = data;
    }
    return turn as TurnResponse | HandedOverTurn;
  }

  /**
   * As {@link page}, as JSON text: a large part as a stream.
   *
   * @param holders who takes a share of what histories have in common: the user, then possibly the address
   * @throws ServiceError `invalid_before` if the owner has no such message; `rate_limited` if too many of the owner's
   *   requests wait
   */
  openPage(owner: Owner, range: HistoryRange, holders?: readonly string[]): Promise<Buffer | Readable> {
    return this.pages.open(owner, range, holders);
  }

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
   * Sends a user a message that nobody asked for, such as a reminder: it reaches the user's event streams and webhooks,
   * and stands in the history.
   *
   * @returns the stored message
   * @throws ServiceError `avatar_not_found`, `invalid_answer`, `invalid_name`, `invalid_chat_type`,
   *   `invalid_language_code`, `idempotency_key_reused`
   * @throws DatabaseUnavailableError
   * @example
   * await this.chat.say(owner, { avatar_id: 'ada', answer: 'Your table is ready.' });
   */
  async say(owner: Owner, message: Unasked): Promise<Message> {
    return present(await this.unasked.add(owner, message), this.urls);
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
