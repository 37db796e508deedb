import { ApiProperty } from '@nestjs/swagger';
import { CHAT_TYPES, type ChatType } from 'avatar-chat-catalogue';
import { Message } from './message.dto.js';
import { RATING } from './rating.dto.js';
import type { Rating } from './message.schema.js';

/** A stored message. */
export class MessageCreated extends Message {
  /** @example "default" */
  project_id!: string;
  /** Only if its turn belongs to a session. */
  session?: string;
}

/** A stored message, as in events. */
export class MessageReference {
  /** @example "default" */
  project_id!: string;
  /** @example "user-1" */
  user_id!: string;
  /** @example "6740a1f0c2d3e4f5a6b7c8d9" */
  message_id!: string;
  /** @example "ada" */
  avatar_id!: string;
  @ApiProperty({ enum: CHAT_TYPES })
  chat_type!: ChatType;
  /** @example "en" */
  language_code!: string;
  session?: string;
}

export class MessageRated extends MessageReference {
  @ApiProperty(RATING)
  rating!: Rating | null;
}

export class TurnFailed extends MessageReference {
  /**
   * The code that the client got, or `client_left` if it left before the first word.
   * @example "engine_failed"
   */
  error!: string;
}

declare module '../events/event.types.js' {
  interface EventData {
    /** A message was stored: from a user or an avatar, or a greeting. Not emitted for imports. */
    'message.created': MessageCreated;
    /** A user has changed the rating of an answer, or removed it (null). */
    'message.rated': MessageRated;
    /** A user's message was stored, and gets no answer unless the turn is repeated. */
    'turn.failed': TurnFailed;
  }
}
