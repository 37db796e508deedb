import type { MessageReference } from '../events/index.js';
import type { Message } from './message.dto.js';
import type { Rating } from './message.schema.js';

declare module '../events/event.types.js' {
  interface EventData {
    /** A message was stored: from a user or an avatar, or a greeting. Not emitted for imports. */
    'message.created': Message & { project_id: string; session?: string };
    /** A user has changed the rating of an answer, or removed it (null). */
    'message.rated': MessageReference & { rating: Rating | null };
  }
}
