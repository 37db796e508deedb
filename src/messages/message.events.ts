import type { Message } from './message.dto.js';

declare module '../events/event.types.js' {
  interface EventData {
    /** A message has been stored: of a user, of an avatar, or a greeting. Not for imports. */
    'message.created': Message & { project_id: string; session?: string };
  }
}
