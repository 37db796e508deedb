export {
  EngineError,
  type AvatarEngine,
  type EngineEntry,
  type EngineExchange,
  type EngineTurn,
} from './avatar-engine.js';
export { engineContract } from './engine.contract.js';
export { Engine, EngineRegistry } from './engine.registry.js';
export { EnginesModule } from './engines.module.js';
