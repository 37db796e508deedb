import { ApiProperty } from '@nestjs/swagger';
import { IsString, Length } from 'class-validator';
import { CHAT_TYPES } from 'avatar-chat-catalogue';
import { AvatarIdField, LanguageCodeField } from '../../catalogue/index.js';
import { CONVERSATION_STATES } from '../../handover/index.js';
import { PhonemeDetails } from '../../files/index.js';
import { IfGiven, refusalOf } from '../../platform/validation/index.js';
import { MAX_REQUEST } from 'avatar-chat-models';
import { Message } from '../../messages/index.js';

/** What a user says to an avatar. */
export class TurnRequest {
  @AvatarIdField()
  avatar_id!: string;

  @IfGiven()
  @Length(1, MAX_REQUEST, refusalOf('invalid_request', MAX_REQUEST))
  @ApiProperty({
    description: "The user's message. Optional in a form, where the project's transcriber provides it.",
    example: 'How far is the moon?',
    minLength: 1,
    maxLength: MAX_REQUEST,
  })
  request?: string;

  @IfGiven()
  @IsString(refusalOf('invalid_chat_type'))
  @ApiProperty({ enum: CHAT_TYPES, description: 'By default `text`, and `voice` for a form.', required: false })
  chat_type?: string;

  @LanguageCodeField()
  language_code?: string;

  @IfGiven()
  @Length(1, 64, refusalOf('invalid_session'))
  @ApiProperty({ description: 'The session from GET /connection that the turn belongs to.', required: false })
  session?: string;
}

/** The same as a form, with the user's recording. */
export class TurnForm extends TurnRequest {
  @ApiProperty({
    type: 'string',
    format: 'binary',
    description: 'A recording of up to 10 MiB: WAV, MP3, AAC, FLAC, Ogg, WebM, Matroska or MP4.',
  })
  file!: unknown;
}

const OUTGOING: Message = {
  _id: '6740a1f0c2d3e4f5a6b7c8d8',
  direction: 'outgoing',
  user_id: 'user-1',
  request: 'How far is the moon?',
  avatar_id: 'ada',
  date: 1763700000000,
  chat_type: 'text',
  language_code: 'en',
};
const INCOMING: Message = {
  ...OUTGOING,
  _id: '6740a1f0c2d3e4f5a6b7c8d9',
  direction: 'incoming',
  answer: 'About 384,400 km on average.',
  avatar_name: 'Ada',
  date: 1763700000850,
};

/** A stored turn. */
export class TurnResponse {
  @ApiProperty({ example: OUTGOING })
  outgoing!: Message;
  @ApiProperty({ example: INCOMING })
  incoming!: Message;
}

/** Who answers: the avatar or a person. */
export class ConversationState {
  @ApiProperty({ enum: CONVERSATION_STATES })
  state!: (typeof CONVERSATION_STATES)[number];
  /** The person who answers. */
  name?: string;
}

/** A stored message that a person answers, later. */
export class HandedOverTurn {
  outgoing!: Message;
  conversation!: ConversationState;
}

/** One sentence of an answer, spoken: the event `audio` of a streamed turn. Times are in seconds. */
export class SpokenSentence {
  /** From 0. */
  index!: number;
  /** The sentence as it appears in the answer. */
  text!: string;
  /** URL of the sentence's MP3; valid for a day, without a token. */
  url!: string;
  /** Length of the MP3. */
  seconds!: number;
  /** The sum of the `seconds` of all earlier sentences. */
  start!: number;
  /** Start and end of each sound, from the start of the sentence; empty if the speaker does not know them. */
  phonemes!: PhonemeDetails[];
}
