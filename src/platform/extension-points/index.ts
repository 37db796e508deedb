export { entryFaults, type FieldRule, textRule } from './entry-rules.js';
export { type KindEntry, KindRegistry, type Replaceable } from './kind-registry.js';
export { findMarked, markedNames, type MarkedMethod, markMethod } from './marked-methods.js';
export { findProviders } from './providers.js';
