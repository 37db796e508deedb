import type { ChatType, EventType } from '../catalogue/index.js';

/** The data of each type of event, always of one user. Modules add theirs by augmentation, as `messages` does. */
export interface EventData {
  /** `GET /connection` has opened a session. */
  'session.started': { project_id: string; user_id: string; session: string };
  /** A user's message was stored, and gets no answer unless the turn is repeated. */
  'turn.failed': {
    project_id: string;
    user_id: string;
    /** The user's message. */
    message_id: string;
    avatar_id: string;
    chat_type: ChatType;
    language_code: string;
    session?: string;
    /** The code of the error that the client got, or `client_left` where it left before a word was said. */
    error: string;
  };
  /** A user's messages, files and sessions were erased. */
  'user.erased': { project_id: string; user_id: string; messages: number; sessions: number };
}

/** Something that has happened. */
export interface ServiceEvent<T extends EventType = EventType> {
  /** The same wherever and however often the event is told of. */
  id: string;
  type: T;
  /** When it happened, in Unix time in milliseconds. */
  date: number;
  data: EventData[T];
}
