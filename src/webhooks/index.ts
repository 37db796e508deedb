export { WebhooksModule } from './webhooks.module.js';
export { WebhooksService, type Delivery } from './webhooks.service.js';
