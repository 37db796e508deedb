export { ErrorBody } from './error-body.dto.js';
export { asServiceError, errorBody, errorOfStatus } from './error-body.js';
export { ErrorFilter } from './error.filter.js';
export { failure } from './failure.js';
export { ServiceError } from './service-error.js';
export { formError } from './form-error.js';
