import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ConfigError } from 'avatar-chat-settings';
import { Clock, Config } from '../platform/config/index.js';
import {
  type AnswerPiece,
  type AvatarEngine,
  type EngineEntry,
  type EngineResult,
  type EngineTurn,
  RETRACT,
  type CompleteOptions,
  type PromptMessage,
  noticed,
  LlamaEngine,
  OpenAiEngine,
  type OpenAiEntry,
} from 'avatar-chat-models';
import { ScriptedEngine } from './scripted.engine.js';
import { loggerOf } from '../platform/logging/index.js';

const KEY = 'OPENAI_API_KEY';
/** Cool-down after a model that did not answer in time, in milliseconds: scripts answer meanwhile. */
const COOL_DOWN_MS = 30_000;

/** What an avatar's own entry says of the model. */
type Own = Pick<OpenAiEntry, 'system_prompt'> & {
  readonly [Field in 'tools' | 'reasoning' | 'knowledge_tokens']?: OpenAiEntry[Field] | undefined;
};

/**
 * The model of the settings, which answers for avatars whose engine is a script, with the personality in the
 * `system_prompt` of their entry. If it fails before its first word, the script answers.
 */
@Injectable()
export class ModelEngine
  implements Pick<AvatarEngine, 'kind' | 'reply' | 'complete' | 'prepare' | 'isModel'>, OnModuleInit
{
  readonly isModel = true;
  /** Timeout for the first words of an answer. While a model is loading it takes longer, and the script answers. */
  protected readonly firstWordsMs: number = 15_000;
  private readonly logger = loggerOf(ModelEngine.name);
  private openUntil = -Infinity;

  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly openAi: OpenAiEngine,
    private readonly scripted: ScriptedEngine,
    private readonly llama?: LlamaEngine,
  ) {}

  /** Whether the settings name a model. */
  get isSet(): boolean {
    return (this.config.openAiModel ?? this.config.localModel) !== undefined;
  }

  get kind(): string {
    return this.engine.kind;
  }

  private get engine(): OpenAiEngine | LlamaEngine {
    return this.config.localModel !== undefined && this.llama ? this.llama : this.openAi;
  }

  /** @internal @throws ConfigError if its server must not be called, or the model inside the service cannot be used */
  onModuleInit(): void {
    const [fault] = this.isSet ? this.engine.validate(this.entryFor({ system_prompt: 'You are kind.' })) : [];
    const name = this.config.localModel === undefined ? 'OPENAI_BASE_URL or OPENAI_MODEL' : 'LOCAL_MODEL';
    if (fault) throw new ConfigError([{ name, rule: fault.replace(/^\w+: /, '') }]);
  }

  async *reply(turn: EngineTurn): AsyncGenerator<AnswerPiece, EngineResult | void> {
    let hasSpoken = false;
    if (!turn.meter?.isExhausted && this.clock.monotonic() >= this.openUntil) {
      const late = new AbortController();
      const timer = setTimeout(() => late.abort(), this.firstWordsMs);
      try {
        const signal = AbortSignal.any([turn.signal, late.signal]);
        const {
          system_prompt = personalityOf(turn),
          tools,
          reasoning,
          knowledge_tokens,
        } = turn.engine as Partial<OpenAiEntry>;
        const engine = this.entryFor({ system_prompt, tools, reasoning, knowledge_tokens });
        const asked = { ...turn, engine, signal, ...noticed(turn.caller, () => (hasSpoken = true)) };
        for await (const piece of this.engine.progress(asked)) {
          if (!piece) {
            timer.refresh();
            continue;
          }
          clearTimeout(timer);
          hasSpoken = piece !== RETRACT;
          yield piece;
        }
      } catch (error) {
        if (hasSpoken) throw error;
      } finally {
        clearTimeout(timer);
      }
      if (hasSpoken || turn.signal.aborted || turn.handover?.isRequested) return;
      if (late.signal.aborted) {
        this.openUntil = this.clock.monotonic() + COOL_DOWN_MS;
        this.logger.warn(`The model said nothing within ${this.firstWordsMs / 1000} s: scripts answer for a while`);
      }
    }
    // The model was given documents, and has not answered from them.
    turn.cite?.([]);
    return yield* this.scripted.reply(turn);
  }

  complete(_: EngineEntry, messages: readonly PromptMessage[], options: CompleteOptions): Promise<string> {
    return this.engine.complete(this.entryFor({ system_prompt: '' }), messages, options);
  }

  async prepare(_: EngineEntry, language_code: string): Promise<void> {
    await this.engine.prepare?.(this.entryFor({ system_prompt: 'You are kind.' }), language_code);
  }

  private entryFor({ system_prompt, ...own }: Own): EngineEntry {
    const { localModel } = this.config;
    if (localModel !== undefined) return { kind: 'llama', model: localModel, system_prompt, ...defined(own) };
    const { openAiBaseUrl: base_url, openAiModel: model = '' } = this.config;
    // A local server usually needs no key.
    const key = this.config.secret(KEY) === undefined ? {} : { api_key_env: KEY };
    return { kind: 'openai', base_url, model, system_prompt, ...key, ...defined(own) };
  }
}

function defined(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function personalityOf({ avatar: { name } }: EngineTurn): string {
  return `You are ${name}, an avatar that people talk with. You are friendly and honest, and answer in one to three sentences.`;
}
