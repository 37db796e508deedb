import { ApiProperty } from '@nestjs/swagger';
import { IsString, Length } from 'class-validator';
import { CHAT_TYPES } from '../catalogue/index.js';
import { IfGiven, refusal } from '../platform/validation/index.js';
import { Message, MAX_REQUEST } from '../messages/index.js';
import {
  INVALID_AVATAR_ID,
  INVALID_CHAT_TYPE,
  INVALID_LANGUAGE_CODE,
  INVALID_REQUEST,
  INVALID_SESSION,
} from './turn.errors.js';

/** What a user says to an avatar. */
export class TurnRequest {
  @Length(1, 128, refusal('invalid_avatar_id', INVALID_AVATAR_ID))
  @ApiProperty({
    description: 'One of those that GET /connection lists.',
    example: 'ada',
    minLength: 1,
    maxLength: 128,
  })
  avatar_id!: string;

  @IfGiven()
  @Length(1, MAX_REQUEST, refusal('invalid_request', INVALID_REQUEST))
  @ApiProperty({
    description: 'What the user says. A form may leave it out where the project turns recordings into words.',
    example: 'How far is the moon?',
    minLength: 1,
    maxLength: MAX_REQUEST,
  })
  request?: string;

  @IfGiven()
  @IsString(refusal('invalid_chat_type', INVALID_CHAT_TYPE))
  @ApiProperty({ enum: CHAT_TYPES, description: 'Left out: `text`, and `voice` for a form.', required: false })
  chat_type?: string;

  @IfGiven()
  @IsString(refusal('invalid_language_code', INVALID_LANGUAGE_CODE))
  @ApiProperty({ description: "Left out: the project's first language.", example: 'en', required: false })
  language_code?: string;

  @IfGiven()
  @Length(1, 64, refusal('invalid_session', INVALID_SESSION))
  @ApiProperty({ description: 'Ties the turn to a session of GET /connection.', required: false })
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

/** One turn, stored. */
export class TurnResponse {
  outgoing!: Message;
  incoming!: Message;
}
