import { ApiProperty } from '@nestjs/swagger';
import { CHAT_TYPES, type ChatType } from 'avatar-chat-catalogue';
import type { Direction } from './message.schema.js';

export const MESSAGE_ID = /^[A-Za-z0-9_-]{1,128}$/;
/** Maximum length of an answer, in characters; a longer one is truncated. */
export const MAX_ANSWER = 100_000;

/** Part of a document that an answer is from. */
export class MessageSourceDetails {
  document_id!: string;
  title!: string;
  /** Where the document can be read. */
  url?: string;
  text!: string;
}

export class MessageSources {
  /** Empty if the answer is from no document. */
  sources!: MessageSourceDetails[];
}

/** A message in the format for clients. */
export class Message {
  /**
   * Unique message identifier.
   * @example "6740a1f0c2d3e4f5a6b7c8d9"
   */
  _id!: string;
  @ApiProperty({ enum: ['incoming', 'outgoing'], description: '`incoming` from the avatar, `outgoing` from the user.' })
  direction!: Direction;
  /** @example "user-1" */
  user_id!: string;
  /**
   * The user's message; also on the avatar's answer to it.
   * @example "Hello"
   */
  request!: string;
  /**
   * The avatar's answer; only on incoming messages.
   * @example "Hello! How are you?"
   */
  answer?: string;
  /** @example "ada" */
  avatar_id!: string;
  /**
   * The avatar's name; only on incoming messages.
   * @example "Ada"
   */
  avatar_name?: string;
  /**
   * Unix time in milliseconds.
   * @example 1763700000000
   */
  date!: number;
  @ApiProperty({ enum: CHAT_TYPES })
  chat_type!: ChatType;
  /** @example "en" */
  language_code!: string;
  /** URL of an audio or video file, if there is one. */
  fileUrl?: string;
}
