export { dayOf } from './days.js';
export { QualityModule } from './quality.module.js';
export { type AnswerOutcome } from './quality.schema.js';
export { Quality } from './quality.service.js';
export { Usage, type UsageDay, type UsedBy } from './usage.service.js';
