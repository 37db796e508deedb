import type { SessionStarted, UserErased } from './event.dto.js';

/** Events that webhooks can subscribe to. */
export const EVENT_TYPES = [
  'session.started',
  'message.created',
  'message.rated',
  'turn.failed',
  'user.erased',
  'conversation.waiting',
  'conversation.taken',
  'conversation.returned',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** Events of modules: the module's name, a dot and what happened, such as `ratings.given`. */
export type ModuleEventType = `${string}.${string}`;
/** Must not start with the first word of an event of the service. */
export const MODULE_EVENT =
  /^(?!(?:session|message|messages|turn|user|conversation)\.)[a-z][a-z0-9_-]{0,31}\.[a-z][a-z0-9_.-]{0,63}$/;

export function isModuleEvent(type: string): type is ModuleEventType {
  return MODULE_EVENT.test(type);
}

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
