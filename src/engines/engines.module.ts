import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { OpenAiModule } from '../openai/index.js';
import { AnswerSources } from './answer.sources.js';
import { EngineRegistry } from './engine.registry.js';
import { LlamaEngine } from './llama/llama.engine.js';
import { LlamaModels } from './llama/llama.models.js';
import { ModelCalls } from './model.calls.js';
import { ModelEngine } from './model.engine.js';
import { OpenAiEngine } from './openai.engine.js';
import { OpenAiLiveEngine } from './openai-live.engine.js';
import { PromptSources } from './prompt.sources.js';
import { RealtimeEngine } from './realtime.engine.js';
import { ScriptedEngine } from './scripted.engine.js';
import { ToolRegistry } from './tools/tool.registry.js';

/** The avatars' engines, through the {@link EngineRegistry}. */
@Module({
  imports: [DiscoveryModule, OpenAiModule],
  providers: [
    AnswerSources,
    ScriptedEngine,
    OpenAiEngine,
    OpenAiLiveEngine,
    RealtimeEngine,
    LlamaEngine,
    LlamaModels,
    ModelCalls,
    ModelEngine,
    EngineRegistry,
    PromptSources,
    ToolRegistry,
  ],
  exports: [EngineRegistry, PromptSources, ToolRegistry],
})
export class EnginesModule {}
