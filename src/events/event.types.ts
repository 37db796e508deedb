import type { EventType, ModuleEventType } from 'avatar-chat-catalogue';
import type { SessionStarted, UserErased } from './event.dto.js';

/**
 * The data of each type of event, except `messages.removed` of one user. Modules add theirs by augmentation, as
 * `messages` does.
 */
export interface EventData {
  /** `GET /connection` has opened a session. */
  'session.started': SessionStarted;
  /** A user's messages, files and sessions were erased. */
  'user.erased': UserErased;
  /** An avatar begins to answer. In process only. */
  'turn.answering': { project_id: string; user_id: string; avatar_id: string; name: string };
  /**
   * Messages are removed, by retention or an erasure: of a project or of one user, those before a date (Unix time in
   * milliseconds), or those with these identifiers. In process only; emitted again if the process ends midway.
   */
  'messages.removed': { project_id: string; user_id?: string; before?: number; ids?: string[] };
}

/** All types of events: those for webhooks, and those for modules only. */
export type AnyEventType = keyof EventData;

/** The user whom an event is about. */
export interface EventSubject {
  readonly project_id: string;
  readonly user_id: string;
}

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
