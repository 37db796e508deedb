import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { readSecret } from '../config/index.js';
import { EngineRegistry } from './engine.registry.js';
import { OpenAiEngine, READ_SECRET } from './openai.engine.js';
import { ScriptedEngine } from './scripted.engine.js';

/** The avatars' engines, by way of the {@link EngineRegistry}. */
@Module({
  imports: [DiscoveryModule],
  providers: [{ provide: READ_SECRET, useValue: readSecret }, ScriptedEngine, OpenAiEngine, EngineRegistry],
  exports: [EngineRegistry],
})
export class EnginesModule {}
