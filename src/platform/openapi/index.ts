export { ApiBodies } from './openapi.bodies.js';
export { ApiErrors } from './openapi.errors.js';
export { documentWebhook } from './openapi.webhooks.js';
export {
  ADMIN_SCHEME,
  documentScheme,
  openApiDocument,
  type OpenApiOptions,
  type SecuritySchemeObject,
  setupOpenApi,
} from './openapi.js';
