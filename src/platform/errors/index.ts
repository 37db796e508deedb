export { ErrorBody } from './error-body.dto.js';
export { asServiceError, errorBody, errorOfStatus } from './error-body.js';
export { ErrorFilter } from './error.filter.js';
export { ERRORS } from './error.registry.js';
export { describeFailure, type ErrorName, failure, type MessageValues } from './failure.js';
export { ServiceError } from './service-error.js';
export { formError } from './form-error.js';
