export { ErasableData } from './erasable.data.js';
export { isGone } from './erasure.errors.js';
export { ErasureFences } from './erasure.fences.js';
export { ErasureModule } from './erasure.module.js';
export { type ErasureFence, type Subject } from './erasure.repository.js';
export { type ErasedCounts, ErasureService } from './erasure.service.js';
