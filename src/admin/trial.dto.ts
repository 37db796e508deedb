import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, IsObject, Length, ValidateBy } from 'class-validator';
import { DEFAULT_PROJECT, PROJECT_ID } from 'avatar-chat-catalogue';
import { LanguageCodeField } from '../catalogue/index.js';
import { MAX_REQUEST } from 'avatar-chat-models';
import { IfGiven, refusalOf } from '../platform/validation/index.js';
import { ProjectName } from './admin.dto.js';

const MAX_HISTORY = 10;
export const TRIAL_RULE = `avatar must be an entry of the catalogue, and history at most ${MAX_HISTORY} turns with texts as request and answer.`;

const url = (file: string) => `/assets/avatars/ada/${file}`;
const ADA = {
  _id: 'ada',
  name: 'Ada',
  greetingText: 'Hello! I am Ada.',
  hasLiveMode: true,
  previewIcons: { small: url('small.webp'), medium: url('medium.webp'), large: url('large.webp') },
  startButtonIcon: url('start.svg'),
  idleVideo: url('idle.webm'),
  engine: { kind: 'scripted', script: 'ada' },
};

const isTurn = (value: unknown) =>
  ['request', 'answer'].every((name) => typeof (value as Record<string, unknown> | null)?.[name] === 'string');

/** An earlier turn of a trial. */
export class TrialTurn {
  request!: string;
  answer!: string;
}

/** What an avatar is to answer, or to say. */
export class AvatarTrialRequest extends ProjectName {
  @ApiProperty({ pattern: PROJECT_ID.source, example: DEFAULT_PROJECT })
  override project_id!: string;

  @IsObject(refusalOf('invalid_input', TRIAL_RULE))
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    example: ADA,
    description: 'As in a catalogue file; not applied.',
  })
  avatar!: object;

  @Length(1, MAX_REQUEST, refusalOf('invalid_request', MAX_REQUEST))
  @ApiProperty({ minLength: 1, maxLength: MAX_REQUEST, example: 'How far is the moon?' })
  request!: string;

  @LanguageCodeField()
  language_code?: string;

  @IfGiven()
  @ArrayMaxSize(MAX_HISTORY, refusalOf('invalid_input', TRIAL_RULE))
  @ValidateBy(
    { name: 'turns', validator: { validate: (turns) => Array.isArray(turns) && turns.every(isTurn) } },
    refusalOf('invalid_input', TRIAL_RULE),
  )
  @ApiProperty({ type: [TrialTurn], maxItems: MAX_HISTORY, required: false, description: 'Oldest first.' })
  history?: TrialTurn[];
}

export class TrialAnswer {
  answer!: string;
}
