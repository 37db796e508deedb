export { type EventData, type MessageReference, type ServiceEvent } from './event.types.js';
export { EventsModule } from './events.module.js';
export { Events, type MessageSource } from './events.service.js';
export { EventsService } from './module-events.js';
export { OnEvent } from './on-event.js';
export { OutboxRepository, type Lease, type Endpoint } from './outbox.repository.js';
export { OutboxEntry, type DeliveryState } from './outbox.schema.js';
