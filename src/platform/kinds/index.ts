export { entryFaults, type FieldRule, textRule } from './entry-rules.js';
export { type KindEntry, KindRegistry, type Replaceable } from './kind-registry.js';
