export { WebhooksModule } from './webhooks.module.js';
export { type Delivery, WebhooksService } from './webhooks.service.js';
