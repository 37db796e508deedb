export {
  AvatarEngine,
  EngineError,
  type EngineEntry,
  type EngineExchange,
  type EngineSaid,
  type EngineTurn,
} from './avatar-engine.js';
export { Engine, EngineRegistry } from './engine.registry.js';
export { EnginesModule } from './engines.module.js';
