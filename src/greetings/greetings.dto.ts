import { ApiProperty } from '@nestjs/swagger';
import { IsString, Length } from 'class-validator';
import { PhonemeDetails } from '../files/index.js';
import { IfGiven, refusalOf } from '../platform/validation/index.js';

export class GreetingQuery {
  @Length(1, 128, refusalOf('invalid_avatar_id'))
  @ApiProperty({
    description: 'One of those that GET /connection lists.',
    example: 'ada',
    minLength: 1,
    maxLength: 128,
  })
  avatar_id!: string;

  @IfGiven()
  @IsString(refusalOf('invalid_language_code'))
  @ApiProperty({ description: "Left out: the project's first language.", example: 'en', required: false })
  language_code?: string;
}

/** An avatar's greeting, spoken. Times are in seconds. */
export class SpokenGreeting {
  /** As `greetingText` of GET /connection in this language. */
  text!: string;
  @ApiProperty({
    description: 'Its MP3, as a data URL; left out if the greeting cannot be spoken.',
    example: 'data:audio/mpeg;base64,…',
    required: false,
  })
  url?: string;
  /** How long it is. */
  seconds!: number;
  /** When its sounds begin and end; empty if the speaker does not know. */
  phonemes!: PhonemeDetails[];
}
