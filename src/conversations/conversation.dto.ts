import { ApiProperty } from '@nestjs/swagger';
import { IsBoolean, IsIn, Length, Matches, ValidateIf } from 'class-validator';
import { MAX_NAME } from '../chat/index.js';
import { CONVERSATION_STATES, type ConversationState } from '../handover/index.js';
import { Message } from '../messages/index.js';
import { IfGiven, refusalOf } from '../platform/validation/index.js';
import { ProjectName } from '../admin/index.js';

export const USER_STATES = ['avatar', 'waiting'] as const;
export const LISTED_STATES = ['waiting', 'person'] as const;
const DEFAULT_LISTED = 50;
export const MAX_LISTED = 100;

export const inWords = (states: readonly string[]) => `${states.slice(0, -1).join(', ')} or ${states.at(-1)}`;

/** Who answers a user. */
export class ConversationDetails {
  @ApiProperty({ enum: CONVERSATION_STATES, description: '`waiting`: a person will; `person`: the one named does.' })
  state!: ConversationState;
  /** The person who answers. */
  name?: string;
  /** Since when, in Unix time in milliseconds; 0: always. */
  since!: number;
}

/** Whether a person can take over. */
export class HandoverOffer {
  enabled!: boolean;
  /** After how many minutes of waiting the avatar answers again; only if enabled. */
  waitingMinutes?: number;
  /** After how many minutes without a message of the person; only if enabled. */
  timeoutMinutes?: number;
}

export class UserWish {
  @IsIn(USER_STATES, refusalOf('invalid_state', inWords(USER_STATES)))
  @ApiProperty({ enum: USER_STATES })
  state!: (typeof USER_STATES)[number];
}

export class OperatorWish {
  @IsIn(CONVERSATION_STATES, refusalOf('invalid_state', inWords(CONVERSATION_STATES)))
  @ApiProperty({ enum: CONVERSATION_STATES })
  state!: ConversationState;

  @ValidateIf(({ state, name }: OperatorWish) => state === 'person' || name !== undefined)
  @Length(1, MAX_NAME, refusalOf('invalid_name', MAX_NAME))
  @Matches(/\S/, refusalOf('invalid_name', MAX_NAME))
  @ApiProperty({ description: 'The person who answers. Required for `person`.', maxLength: MAX_NAME, required: false })
  name?: string;

  @IfGiven()
  @IsBoolean(refusalOf('invalid_force'))
  @ApiProperty({ type: 'boolean', description: 'Takes it from another person.', required: false })
  force?: boolean;
}

export class ConversationsQuery extends ProjectName {
  @IsIn(LISTED_STATES, refusalOf('invalid_state', inWords(LISTED_STATES)))
  @ApiProperty({ enum: LISTED_STATES })
  state!: (typeof LISTED_STATES)[number];

  @IfGiven()
  @Matches(/^([1-9][0-9]?|100)$/, refusalOf('invalid_limit', MAX_LISTED))
  @ApiProperty({ type: 'integer', minimum: 1, maximum: MAX_LISTED, default: DEFAULT_LISTED, required: false })
  limit?: string;

  @IfGiven()
  @Matches(/^[A-Za-z0-9_-]{1,400}$/, refusalOf('invalid_cursor'))
  @ApiProperty({ description: 'From an earlier answer: what comes after it.', required: false })
  cursor?: string;

  /** @internal */
  get number(): number {
    return Number(this.limit ?? DEFAULT_LISTED);
  }
}

export class ListedConversation extends ConversationDetails {
  user_id!: string;
  /** The newest message. */
  last?: Message;
  /** Its avatar, or the project's first: for whom a person answers. */
  avatar_id?: string;
}

export class ConversationList {
  /** Waiting ones oldest first, others newest first. */
  conversations!: ListedConversation[];
  /** For the next ones; absent at the end. */
  cursor?: string;
}
