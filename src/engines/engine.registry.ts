import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { KindRegistry } from '../platform/extension-points/index.js';
import { describeError, loggerOf } from '../platform/logging/index.js';
import {
  AvatarEngine,
  type EngineEntry,
  EngineError,
  type EngineTurn,
  type CompleteOptions,
  LlamaEngine,
  OpenAiEngine,
  OpenAiLiveEngine,
  type PromptMessage,
  RealtimeEngine,
} from 'avatar-chat-models';
import { ModelCalls } from './model.calls.js';
import { ModelEngine } from './model.engine.js';
import { ScriptedEngine } from './scripted.engine.js';

/** Every {@link AvatarEngine} by its kind. */
@Injectable()
export class EngineRegistry extends KindRegistry<AvatarEngine> {
  private readonly logger = loggerOf(EngineRegistry.name);

  constructor(
    discovery: DiscoveryService,
    private readonly scripted: ScriptedEngine,
    openAi: OpenAiEngine,
    openAiLive: OpenAiLiveEngine,
    realtime: RealtimeEngine,
    llama: LlamaEngine,
    private readonly model: ModelEngine,
    private readonly calls: ModelCalls,
  ) {
    super(discovery, 'engine', AvatarEngine, [scripted, openAi, openAiLive, realtime, llama]);
  }

  /** The engine that answers for avatars of a kind. @throws EngineError if there is none */
  engineFor(kind: string): Pick<AvatarEngine, 'complete' | 'kind' | 'reply' | 'prepare' | 'isModel'> {
    const engine = this.find(kind);
    if (engine instanceof ScriptedEngine && this.model.isSet) return this.model;
    if (!engine) throw new EngineError('The avatar has an engine that this service does not know.');
    return engine;
  }

  /** Asks the model that answers for an entry; undefined if none does, or it cannot be asked. @throws any error of it */
  async complete(
    entry: EngineEntry,
    messages: readonly PromptMessage[],
    options: CompleteOptions,
  ): Promise<string | undefined> {
    const engine = this.engineFor(entry.kind);
    if (!engine.isModel || !engine.complete) return undefined;
    const end = this.calls.begin(engine.kind);
    return engine.complete(entry, messages, options).finally(end);
  }

  /** The kind of the engine that answers for an entry: with a model for all avatars, that of the model. */
  kindOf({ kind }: EngineEntry): string {
    return this.find(kind) instanceof ScriptedEngine && this.model.isSet ? this.model.kind : kind;
  }

  /** Whether an avatar cannot answer by a script if its model must not be asked. */
  needsModel({ kind }: EngineEntry): boolean {
    const engine = this.find(kind);
    return engine?.isModel === true;
  }

  /**
   * What the scripts say to words of danger, so that no model is asked; undefined if there are none.
   *
   * @param care the avatar's setting
   */
  async findCareReply(
    turn: Pick<EngineTurn, 'engine' | 'language_code' | 'request' | 'history'> & {
      readonly avatar: { readonly name: string };
    },
    care?: boolean,
  ): Promise<string | undefined> {
    const isCareful = care ?? this.engineFor(turn.engine.kind).isModel;
    return isCareful ? this.scripted.findCareReply(turn) : undefined;
  }

  /** Whether avatars of an entry say what a script has. */
  isScripted({ kind }: EngineEntry): boolean {
    return this.find(kind) instanceof ScriptedEngine && !this.model.isSet;
  }

  /** Prepares an engine that will soon be asked. Never fails. */
  async prepare(entry: EngineEntry, language_code: string, ...whose: [string?, string?]): Promise<void> {
    const preparing = async () => this.engineFor(entry.kind).prepare?.(entry, language_code, ...whose);
    // It fails again, and is reported, when the engine is asked.
    await preparing().catch((error: unknown) => this.logger.debug(describeError(error)));
  }
}
