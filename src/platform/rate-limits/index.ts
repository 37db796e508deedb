export { FailureLimit } from './rate-limits.failures.js';
export { CountAs, type LimitedKind, LimitsGuard } from './rate-limits.guard.js';
export { LimitsModule, LimitsStorageModule } from './rate-limits.module.js';
export { UploadLimit } from './rate-limits.uploads.js';
