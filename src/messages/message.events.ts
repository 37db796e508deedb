import type { MessageReference } from '../events/index.js';
import type { Message } from './message.dto.js';
import type { Rating } from './message.schema.js';

declare module '../events/event.types.js' {
  interface EventData {
    /** A message has been stored: of a user, of an avatar, or a greeting. Not for imports. */
    'message.created': Message & { project_id: string; session?: string };
    /** A user has rated an answer otherwise than before, or with null taken the rating back. */
    'message.rated': MessageReference & { rating: Rating | null };
  }
}
