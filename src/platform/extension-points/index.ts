export { KindRegistry, type Replaceable } from './kind-registry.js';
export { findMarked, markedNames, type MarkedMethod, markMethod } from './marked-methods.js';
export { provideClass } from './package-classes.js';
export { findProviders } from './providers.js';
