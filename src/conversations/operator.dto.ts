import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { IsString, Length, Matches } from 'class-validator';
import { ProjectName, UserName } from '../admin/index.js';
import { USER_ID } from '../auth/index.js';
import { CHAT_TYPES } from 'avatar-chat-catalogue';
import { AvatarIdField } from '../catalogue/index.js';
import { MAX_NAME, MAX_UNASKED } from '../chat/index.js';
import { IfGiven, refusalOf } from '../platform/validation/index.js';

const NameField = (description: string) =>
  applyDecorators(
    IfGiven(),
    Length(1, MAX_NAME, refusalOf('invalid_name', MAX_NAME)),
    Matches(/\S/, refusalOf('invalid_name', MAX_NAME)),
    ApiProperty({ description, minLength: 1, maxLength: MAX_NAME, pattern: '\\S', required: false }),
  );

export class UserParameter {
  @Matches(USER_ID, refusalOf('invalid_user_id'))
  @ApiProperty({ pattern: USER_ID.source, example: 'user-1' })
  user_id!: string;
}

export class EventsQuery {
  @IfGiven()
  @ApiProperty({ type: 'string', description: 'As `Last-Event-ID`, which counts if both are given.', required: false })
  last_event_id?: unknown;
}

export class ProjectEventsQuery extends ProjectName {
  @NameField('Who follows: each may have five streams, and a key fifty.')
  name?: string;
}

/** A message to a user. */
export class UnaskedRequest extends UserName {
  @AvatarIdField()
  avatar_id!: string;

  @Length(1, MAX_UNASKED, refusalOf('invalid_answer', MAX_UNASKED))
  @ApiProperty({ minLength: 1, maxLength: MAX_UNASKED, example: 'Your table is ready.' })
  answer!: string;

  @NameField("Who writes it. By default the person who has taken the conversation, or else the avatar's name.")
  name?: string;

  @IfGiven()
  @IsString(refusalOf('invalid_language_code'))
  @ApiProperty({ description: "By default that of the user's newest message.", required: false })
  language_code?: string;

  @IfGiven()
  @IsString(refusalOf('invalid_chat_type'))
  @ApiProperty({ enum: CHAT_TYPES, description: 'By default `text`.', required: false })
  chat_type?: string;
}
