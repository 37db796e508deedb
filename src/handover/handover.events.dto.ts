import { ApiProperty } from '@nestjs/swagger';
import { CHANGED_BY, type ChangedBy, CONVERSATION_STATES, type ConversationState } from './handover.rules.js';

/** A change of who answers. */
export class ConversationChange {
  /** @example "default" */
  project_id!: string;
  /** @example "user-1" */
  user_id!: string;
  @ApiProperty({ enum: CONVERSATION_STATES })
  state!: ConversationState;
  /** The person who answers. */
  name?: string;
  @ApiProperty({ enum: CHANGED_BY })
  by!: ChangedBy;
}

declare module '../events/event.types.js' {
  interface EventData {
    /** A user waits for a person. */
    'conversation.waiting': ConversationChange;
    /** A person answers from now on. */
    'conversation.taken': ConversationChange;
    /** The avatar answers again. */
    'conversation.returned': ConversationChange;
  }
}
