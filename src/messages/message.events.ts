import type { ChatType } from '../catalogue/index.js';
import type { Message } from './message.dto.js';
import type { Rating } from './message.schema.js';

/** A stored message, as in events. */
export interface MessageReference {
  project_id: string;
  user_id: string;
  message_id: string;
  avatar_id: string;
  chat_type: ChatType;
  language_code: string;
  session?: string;
}

declare module '../events/event.types.js' {
  interface EventData {
    /** A message was stored: from a user or an avatar, or a greeting. Not emitted for imports. */
    'message.created': Message & { project_id: string; session?: string };
    /** A user has changed the rating of an answer, or removed it (null). */
    'message.rated': MessageReference & { rating: Rating | null };
    /**
     * A user's message was stored, and gets no answer unless the turn is repeated. `error` is the code that the client
     * got, or `client_left` if it left before the first word.
     */
    'turn.failed': MessageReference & { error: string };
  }
}
