import { ApiProperty } from '@nestjs/swagger';
import { AvatarIdField, LanguageCodeField } from '../catalogue/index.js';
import { PhonemeDetails } from '../files/index.js';

export class GreetingQuery {
  @AvatarIdField()
  avatar_id!: string;

  @LanguageCodeField()
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
