import type { ChatType, EventType, ModuleEventType } from '../catalogue/index.js';

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

/**
 * The data of each type of event, except `messages.removed` of one user. Modules add theirs by augmentation, as
 * `messages` does.
 */
export interface EventData {
  /** `GET /connection` has opened a session. */
  'session.started': { project_id: string; user_id: string; session: string };
  /**
   * A user's message was stored, and gets no answer unless the turn is repeated. `error` is the code that the client
   * got, or `client_left` if it left before the first word.
   */
  'turn.failed': MessageReference & { error: string };
  /** A user's messages, files and sessions were erased. */
  'user.erased': { project_id: string; user_id: string; messages: number; sessions: number };
  /**
   * Messages are removed, by retention or an erasure: of a project or of one user, those before a date (Unix time in
   * milliseconds), or those with these identifiers. In process only; emitted again if the process ends midway.
   */
  'messages.removed': { project_id: string; user_id?: string; before?: number; ids?: string[] };
}

/** All types of events: those for webhooks, and those for modules only. */
export type AnyEventType = keyof EventData;

/** The data of an event; for a module's event, what the module passed besides the owner. */
export type DataOf<T> = T extends AnyEventType
  ? EventData[T]
  : { project_id: string; user_id: string; [name: string]: unknown };

/** Something that has happened. */
export interface ServiceEvent<T extends AnyEventType | ModuleEventType = EventType> {
  /** Stable across all deliveries of the event. */
  id: string;
  type: T;
  /** When it happened, in Unix time in milliseconds. */
  date: number;
  data: DataOf<T>;
}
