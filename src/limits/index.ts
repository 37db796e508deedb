export { rateLimited } from './limits.errors.js';
export { FailureLimit } from './limits.failures.js';
export { CountAs, type LimitedKind } from './limits.guard.js';
export { LimitsModule } from './limits.module.js';
