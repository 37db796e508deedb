export { type EventData, type ServiceEvent } from './event.types.js';
export { Events, type MessageSource } from './events.service.js';
export { EventsModule } from './events.module.js';
export { OnEvent } from './on-event.js';
export { type Claim, type Endpoint, OutboxRepository } from './outbox.repository.js';
export { type DeliveryState, type Outcome, OutboxEntry } from './outbox.schema.js';
