export { BODY_LIMIT, createAdapter, ServiceAdapter } from './adapter.js';
export { ErrorBody } from './error-body.js';
export { HttpModule } from './http.module.js';
export { createLogger, describeError, LOGGER, type Logger, NestLogger } from './logger.js';
export { PublicUrl } from './public-url.js';
export { ServiceError, serviceUnavailable } from './service-error.js';
export { refusal, ValidationPipe } from './validation.pipe.js';
export { openApiDocument, setupOpenApi } from './openapi.js';
export { ApiErrors, type DocumentedErrors } from './openapi.errors.js';
