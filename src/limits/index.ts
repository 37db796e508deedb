export { rateLimited } from './limits.errors.js';
export { CountAs, type LimitedKind } from './limits.guard.js';
export { LimitsModule } from './limits.module.js';
