import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { LlamaModels } from 'avatar-chat-models';
import { OpenAiModule } from '../openai/index.js';
import { Config } from '../platform/config/index.js';
import { provideClass } from '../platform/extension-points/index.js';
import { AnswerSources } from './answer.sources.js';
import { EngineRegistry } from './engine.registry.js';
import { LlamaEngine } from './llama/llama.engine.js';
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
    provideClass(LlamaModels, [Config, ModelCalls]),
    ModelCalls,
    ModelEngine,
    EngineRegistry,
    PromptSources,
    ToolRegistry,
  ],
  exports: [EngineRegistry, PromptSources, ToolRegistry],
})
export class EnginesModule {}
