export { SessionStarted, UserErased } from './event.dto.js';
export {
  EVENT_TYPES,
  type EventData,
  type EventType,
  isModuleEvent,
  MODULE_EVENT,
  type ModuleEventType,
  type ServiceEvent,
} from './event.types.js';
export { EventsModule } from './events.module.js';
export { Events, type MessageSource } from './events.js';
export { EventsService } from './events.service.js';
export { OnEvent } from './on-event.js';
export { Outbox } from './outbox.js';
