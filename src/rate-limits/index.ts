export { FailureLimit } from './rate-limits.failures.js';
export { LimitWithoutToken, type LimitedKind, LimitsGuard, RateLimit } from './rate-limits.guard.js';
export { LimitsModule, LimitsStorageModule } from './rate-limits.module.js';
export { UploadLimit } from './rate-limits.uploads.js';
export { trackedAddress, TurnCounts } from './rate-limits.turns.js';
export { VideoLimit } from './rate-limits.videos.js';
