export { SessionStarted, UserErased } from './event.dto.js';
export { type EventData, type ServiceEvent } from './event.types.js';
export { EventsModule } from './events.module.js';
export { Events, type MessageSource } from './events.js';
export { EventsService } from './events.service.js';
export { OnEvent } from './on-event.js';
export { Outbox } from './outbox.js';
export { type Signal, SignalRepository } from './signal.repository.js';
export { Signals } from './signals.js';
