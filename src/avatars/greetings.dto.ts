import { ApiProperty } from '@nestjs/swagger';
import { AvatarIdField, LanguageCodeField } from '../catalogue/index.js';
import { PhonemeDetails } from '../files/index.js';

export class GreetingQuery {
  @AvatarIdField()
  avatar_id!: string;

  @LanguageCodeField()
  language_code?: string;
}

/** A spoken greeting or message of an avatar. Times are in seconds. */
export class SpokenGreeting {
  /** The greeting, as `greetingText` of GET /connection in this language, or the message. */
  text!: string;
  @ApiProperty({
    description: 'Its MP3 as a data URL; omitted if it cannot be spoken.',
    example: 'data:audio/mpeg;base64,…',
    required: false,
  })
  url?: string;
  /** Length of the MP3. */
  seconds!: number;
  /** Start and end of each sound; empty if the speaker does not know them. */
  phonemes!: PhonemeDetails[];
}
