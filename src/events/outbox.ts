import type { EventType, ModuleEventType } from 'avatar-chat-catalogue';
import type { ServiceEvent } from './event.types.js';

/** Keeps events until other systems have them. The module that delivers events provides it, with {@link Events.useOutbox}. */
export abstract class Outbox {
  /** Whether another system subscribes to a type of event of a project, from the cache. */
  abstract hasSubscriber(type: EventType | ModuleEventType, project_id: string): Promise<boolean>;

  /**
   * Adds an event for each of its subscribers, to be sent after `delayMs` milliseconds. Existing entries do not change.
   *
   * @throws DatabaseUnavailableError
   */
  abstract add(event: ServiceEvent<EventType | ModuleEventType>, delayMs?: number): Promise<void>;

  /** Removes an event, unless it has been sent already. */
  abstract remove(event_id: string): Promise<void>;
}
