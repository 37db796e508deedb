import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import {
  LlamaEngine,
  LlamaModels,
  OpenAiEngine,
  OpenAiLiveEngine,
  OpenAiRealtime,
  OpenAiServers,
  RealtimeEngine,
} from 'avatar-chat-models';
import { OpenAiModule } from '../openai/index.js';
import { Config } from '../platform/config/index.js';
import { provideClass } from '../platform/extension-points/index.js';
import { AnswerSources } from './answer.sources.js';
import { EngineParts } from './engine.parts.js';
import { EngineRegistry } from './engine.registry.js';
import { ModelCalls } from './model.calls.js';
import { ModelEngine } from './model.engine.js';
import { PromptSources } from './prompt.sources.js';
import { ScriptedEngine } from './scripted.engine.js';
import { ToolRegistry } from './tools/tool.registry.js';

/** The avatars' engines, through the {@link EngineRegistry}. */
@Module({
  imports: [DiscoveryModule, OpenAiModule],
  providers: [
    AnswerSources,
    ScriptedEngine,
    EngineParts,
    provideClass(OpenAiEngine, [OpenAiServers, EngineParts]),
    provideClass(OpenAiLiveEngine, [OpenAiServers, EngineParts]),
    provideClass(RealtimeEngine, [OpenAiServers, OpenAiRealtime, EngineParts]),
    provideClass(LlamaEngine, [LlamaModels, EngineParts]),
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
