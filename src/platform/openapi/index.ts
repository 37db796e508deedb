export { ApiErrors } from './openapi.errors.js';
export { ADMIN_SCHEME, openApiDocument, setupOpenApi } from './openapi.js';
