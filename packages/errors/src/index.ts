export {
  describeFailure,
  ERROR_CODES,
  type ErrorName,
  type FailureValues,
  type MessageValues,
  resolvePart,
} from './error.description.js';
export { type ErrorDefinition, ERRORS } from './error.registry.js';
