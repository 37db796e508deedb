import { Injectable, OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { AvatarEngine, EngineEntry, EngineError } from './avatar-engine.js';
import { OpenAiEngine } from './openai.engine.js';
import { ScriptedEngine } from './scripted.engine.js';

/**
 * Marks a provider of any module as an {@link AvatarEngine}. The registry finds it at start; one whose `kind` is
 * that of a shipped engine takes its place.
 */
export const Engine = DiscoveryService.createDecorator<void>();

/** Knows every engine by its kind: the shipped ones, and the providers marked with {@link Engine}. */
@Injectable()
export class EngineRegistry implements OnModuleInit {
  private engines?: Map<string, AvatarEngine>;

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scripted: ScriptedEngine,
    private readonly openAi: OpenAiEngine,
  ) {}

  onModuleInit(): void {
    this.all();
  }

  /** @throws EngineError if there is no such engine */
  engineFor(kind: string): AvatarEngine {
    const engine = this.all().get(kind);
    if (!engine) throw new EngineError('The avatar has an engine that this service does not know.');
    return engine;
  }

  /** The faults of an engine entry of the catalogue, each starting with the name of its field; `[]` when good. */
  validate(entry: EngineEntry): string[] {
    const engine = this.all().get(entry.kind);
    return engine ? engine.validate(entry) : [`kind: must be one of ${[...this.all().keys()].sort().join(', ')}`];
  }

  // Not in the constructor, where the engines of other modules may not exist yet.
  private all(): Map<string, AvatarEngine> {
    if (this.engines) return this.engines;
    const added = new Map<string, AvatarEngine>();
    for (const { instance } of this.discovery.getProviders({ metadataKey: Engine.KEY })) {
      const engine = instance as AvatarEngine | undefined;
      if (typeof engine?.kind !== 'string') throw new Error('A provider marked with @Engine() is not an AvatarEngine.');
      if (added.has(engine.kind)) throw new Error(`Two providers are marked as the engine '${engine.kind}'.`);
      added.set(engine.kind, engine);
    }
    const shipped = [this.scripted, this.openAi].map((engine): [string, AvatarEngine] => [engine.kind, engine]);
    return (this.engines = new Map([...shipped, ...added]));
  }
}
