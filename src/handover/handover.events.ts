import type { ChangedBy, ConversationState } from './handover.rules.js';

/** A change of who answers. */
export interface ConversationChange {
  project_id: string;
  user_id: string;
  state: ConversationState;
  /** The person who answers. */
  name?: string;
  by: ChangedBy;
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
