import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { EngineRegistry } from './engine.registry.js';
import { ScriptedEngine } from './scripted.engine.js';

/** The avatars' engines, by way of the {@link EngineRegistry}. */
@Module({
  imports: [DiscoveryModule],
  providers: [ScriptedEngine, EngineRegistry],
  exports: [EngineRegistry],
})
export class EnginesModule {}
