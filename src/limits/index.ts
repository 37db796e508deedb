export { rateLimited } from './limits.errors.js';
export { FailureLimit } from './limits.failures.js';
export { CountAs, type LimitedKind } from './limits.guard.js';
export { LimitsModule, LimitsStorageModule } from './limits.module.js';
export { UploadLimit } from './limits.uploads.js';
