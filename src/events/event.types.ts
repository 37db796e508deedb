import type { ChatType, EventType, ModuleEventType } from '../catalogue/index.js';

/** A stored message, as events tell of it. */
export interface MessageReference {
  project_id: string;
  user_id: string;
  message_id: string;
  avatar_id: string;
  chat_type: ChatType;
  language_code: string;
  session?: string;
}

/** The data of each type of event, but for `messages.removed` of one user. Modules add theirs by augmentation, as `messages` does. */
export interface EventData {
  /** `GET /connection` has opened a session. */
  'session.started': { project_id: string; user_id: string; session: string };
  /**
   * A user's message was stored, and gets no answer unless the turn is repeated. `error` is the code that the client got, or
   * `client_left` where it left before a word was said.
   */
  'turn.failed': MessageReference & { error: string };
  /** A user's messages, files and sessions were erased. */
  'user.erased': { project_id: string; user_id: string; messages: number; sessions: number };
  /**
   * Messages go, by retention or an erasure: of a project or of one user, those before a date (Unix time in milliseconds),
   * or those of these identifiers. In process only; told again if the process ends midway.
   */
  'messages.removed': { project_id: string; user_id?: string; before?: number; ids?: string[] };
}

/** All types of events: those that webhooks may hear of, and those for modules alone. */
export type AnyEventType = keyof EventData;

/** The data of an event; of a module's, what it said besides whom it is about. */
export type DataOf<T> = T extends AnyEventType
  ? EventData[T]
  : { project_id: string; user_id: string; [name: string]: unknown };

/** Something that has happened. */
export interface ServiceEvent<T extends AnyEventType | ModuleEventType = EventType> {
  /** The same wherever and however often the event is told of. */
  id: string;
  type: T;
  /** When it happened, in Unix time in milliseconds. */
  date: number;
  data: DataOf<T>;
}
