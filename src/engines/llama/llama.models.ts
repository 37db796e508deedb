import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import {
  findLlama,
  LLAMA_PACKAGE,
  LlamaBusyError,
  LlamaProcess,
  type LlamaRequest,
  type LlamaResult,
  LlamaStore,
} from 'avatar-chat-media';
import { FairQueue, QueueFullError } from 'avatar-chat-runtime';
import { Config } from '../../platform/config/index.js';
import { ModelCalls } from '../model.calls.js';

/** Sizes of contexts are rounded up to this, so that similar entries share a process. */
const CONTEXT_STEP = 512;

/** What decides on the process of a request. */
export type LlamaPlace = Pick<LlamaRequest, 'context_tokens' | 'max_tokens'> & { readonly model: string };

/** The models inside the service: each in a child process, with slots and a queue that users share. */
@Injectable()
export class LlamaModels implements OnApplicationShutdown {
  private readonly store: LlamaStore;
  private readonly running = new Map<string, { readonly process: LlamaProcess; readonly slots: FairQueue }>();

  constructor(
    private readonly config: Config,
    private readonly calls: ModelCalls,
  ) {
    this.store = new LlamaStore(config.modelsDir);
  }

  /** @internal */
  onApplicationShutdown(): void {
    for (const { process } of this.running.values()) process.stop();
  }

  /** Why a model cannot be used, following a field's name; undefined if it can. */
  faultOf(model: string): string | undefined {
    if (!this.findLibrary()) return `needs an optional package: npm install ${LLAMA_PACKAGE}`;
    const fault = this.store.faultOf(model);
    return fault && `${this.store.pathOf(model)} ${fault}`;
  }

  /** Loads a model. @throws LlamaError */
  async prepare(place: LlamaPlace): Promise<void> {
    await this.find(place).process.prepare();
  }

  /**
   * Answers in pieces, as soon as there is a slot.
   *
   * @param holders who takes a share of slots and queue: the user, then possibly the address
   * @throws LlamaBusyError if too many wait, or LlamaError
   */
  async *answer(
    place: LlamaPlace,
    request: LlamaRequest,
    holders: readonly string[],
    signal: AbortSignal,
  ): AsyncGenerator<string, LlamaResult> {
    const { process, slots } = this.find(place);
    const entering = slots.enter(holders, { signal }).catch((error: unknown) => {
      throw error instanceof QueueFullError ? new LlamaBusyError('too many wait for it') : error;
    });
    const leave = await this.calls.wait(entering);
    try {
      return yield* process.answer(request, signal);
    } finally {
      leave();
    }
  }

  protected findLibrary(): URL | undefined {
    return findLlama();
  }

  private find({ model, context_tokens, max_tokens }: LlamaPlace) {
    const path = this.store.pathOf(model);
    const contextSize = Math.ceil((context_tokens + max_tokens) / CONTEXT_STEP) * CONTEXT_STEP;
    const key = `${contextSize} ${path}`;
    const { localModelSlots: slots, localModelQueue } = this.config;
    const found = this.running.get(key) ?? {
      process: new LlamaProcess({ library: this.findLibrary()!, model: path, contextSize, slots }),
      slots: new FairQueue(slots, localModelQueue),
    };
    this.running.set(key, found);
    return found;
  }
}
