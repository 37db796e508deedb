export { ErrorBody } from './error-body.dto.js';
export { asServiceError, errorBody, errorOfStatus } from './error-body.js';
export { ErrorFilter } from './error.filter.js';
export { ServiceError, serviceUnavailable } from './service-error.js';
