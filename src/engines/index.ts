export { AnswerSource } from './answer.sources.js';
export {
  type AnswerPiece,
  AvatarEngine,
  EngineBusyError,
  EngineError,
  type ClientContext,
  type EngineEntry,
  type EngineExchange,
  type EngineResult,
  type EngineSaid,
  type EngineTurn,
  type TokenUsage,
  type TurnMeter,
  RETRACT,
  type TurnHandover,
  type TurnSource,
} from './avatar-engine.js';
export {
  type CallerFunction,
  type CallerFunctions,
  type FunctionRound,
  noticed,
  type ToolCall,
} from './tools/caller.functions.js';
export { EngineTool, type ToolTurn } from './tools/engine-tool.js';
export { type ArgumentsCheck, argumentsCheck } from './tools/arguments.check.js';
export { ToolRegistry } from './tools/tool.registry.js';
export { type FoundTools, type OfferedTool, ToolError, ToolSource } from './tools/tool.sources.js';
export { EngineRegistry } from './engine.registry.js';
export { isRealtimeEntry, type RealtimeEntry } from './realtime.entry.js';
export { seesImages } from './openai.entry.js';
export { DEFAULT_TOKENS } from './openai.prompt.js';
export { type PromptedTurn, PromptSource, PromptSources } from './prompt.sources.js';
export { UsageReader } from './openai.usage.js';
export { ReasoningFilter } from './reasoning.js';
export { realtimeItem, realtimePrompt } from './realtime.prompt.js';
export { EnginesModule } from './engines.module.js';
