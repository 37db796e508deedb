import { ApiProperty } from '@nestjs/swagger';
import { refusal } from 'avatar-chat-service';
import { IsString, Length } from 'class-validator';

export const MAX_TEXT = 500;
export const INVALID_TEXT = `text must have 1 to ${MAX_TEXT} characters.`;
const REFUSAL = refusal('invalid_text', INVALID_TEXT);

/** What a client sends. */
export class NewSampleNotesItem {
  @IsString(REFUSAL)
  @Length(1, MAX_TEXT, REFUSAL)
  @ApiProperty({ minLength: 1, maxLength: MAX_TEXT, example: 'Tuesday at ten' })
  text!: string;
}

/** What a client gets. */
export class SampleNotesItem extends NewSampleNotesItem {
  @ApiProperty({ description: 'Unix time in milliseconds.', example: 1763700000000 })
  date!: number;
}
