import { Injectable } from '@nestjs/common';
import { isModuleEvent, type ModuleEventType } from 'avatar-chat-catalogue';
import { type EventSubject } from './event.types.js';
import { Events } from './events.js';

/** Maximum size of an event's data as JSON, in bytes. */
const MAX_DATA_BYTES = 16 * 1024;

/** Events of modules: emitted to listeners in this process, and to webhooks that list them or have no list. */
@Injectable()
export class EventsService {
  /** By their first words. */
  private readonly declared = new Map<string, Set<string>>();

  constructor(private readonly events: Events) {}

  /**
   * Declares all events of a module, so that a webhook with a misspelt one is a fault of the catalogue. Call it in a
   * constructor.
   *
   * @throws Error if a type is not valid for a module
   * @example
   * events.declare('ratings.given', 'ratings.withdrawn');
   */
  declare(...types: readonly ModuleEventType[]): void {
    for (const type of types) {
      assertModuleEvent(type);
      const known = this.declared.get(moduleOf(type)) ?? new Set();
      this.declared.set(moduleOf(type), known.add(type));
    }
  }

  /** The events that a module has declared, if this type names another one of it; otherwise undefined. */
  declaredInstead(type: string): readonly string[] | undefined {
    const known = this.declared.get(moduleOf(type));
    return known && !known.has(type) ? [...known] : undefined;
  }

  /**
   * Emits an event about a user. Once this resolves, webhooks will get it even if this process ends.
   *
   * @param type the module's name, a dot and what happened: `ratings.given`
   * @param data sent to webhooks with the `project_id` and `user_id` of the owner; no secrets
   * @throws Error if the type is not valid for a module, or the data is larger than 16 KiB
   * @throws DatabaseUnavailableError only if a webhook subscribes to the event
   * @example
   * await this.events.emit('ratings.given', owner, { message_id, stars });
   */
  async emit(type: ModuleEventType, owner: EventSubject, data: Readonly<Record<string, unknown>> = {}): Promise<void> {
    assertModuleEvent(type);
    const { project_id, user_id } = owner;
    const text = JSON.stringify({ ...data, project_id, user_id });
    if (Buffer.byteLength(text) > MAX_DATA_BYTES)
      throw new Error(`The data of the event ${type} has more than ${MAX_DATA_BYTES} bytes.`);
    await this.events.publish(type, JSON.parse(text) as { project_id: string; user_id: string });
  }
}

function assertModuleEvent(type: string): void {
  if (!isModuleEvent(type))
    throw new Error(`An event of a module has a type like ratings.given, whose first word is the module's: ${type}`);
}

const moduleOf = (type: string): string => type.slice(0, type.indexOf('.'));
