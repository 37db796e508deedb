export { AnswerSource } from './answer.sources.js';
export { ToolRegistry } from './tools/tool.registry.js';
export { EngineRegistry } from './engine.registry.js';
export { PromptSources } from './prompt.sources.js';
export { EnginesModule } from './engines.module.js';
