import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import {
  findLlama,
  LLAMA_PACKAGE,
  LlamaBusyError,
  LlamaProcess,
  type LlamaRequest,
  type LlamaResult,
  LlamaStore,
  untilAborted,
} from 'avatar-chat-media';
import { FairQueue, QueueFullError } from 'avatar-chat-runtime';
import { Config } from '../../platform/config/index.js';
import { ModelCalls } from '../model.calls.js';

/** Sizes of contexts are rounded up to this, so that similar entries share a process. */
const CONTEXT_STEP = 512;

/** What decides on the process of a request. */
export type LlamaPlace = Pick<LlamaRequest, 'context_tokens' | 'max_tokens'> & { readonly model: string };

/** The models inside the service: each in a child process. Users share the slots and the queue of all. */
@Injectable()
export class LlamaModels implements OnApplicationShutdown {
  private readonly store: LlamaStore;
  /** The last of a model has the largest context; the others are asked only while it is not loaded, and end. */
  private readonly started: { readonly path: string; readonly contextSize: number; readonly process: LlamaProcess }[] =
    [];
  private readonly slots: FairQueue;
  /** Turns that wait for a model to be loaded. */
  private loading = 0;

  constructor(
    private readonly config: Config,
    private readonly calls: ModelCalls,
  ) {
    this.store = new LlamaStore(config.modelsDir);
    this.slots = new FairQueue(config.localModelSlots, config.localModelQueue);
  }

  /** @internal */
  onApplicationShutdown(): void {
    for (const { process } of this.started) process.stop();
  }

  /** Why a model cannot be used, following a field's name; undefined if it can. */
  faultOf(model: string): string | undefined {
    if (!this.findLibrary()) return `needs an optional package: npm install ${LLAMA_PACKAGE}`;
    const fault = this.store.faultOf(model);
    return fault && `${this.store.pathOf(model)} ${fault}`;
  }

  /** Loads a model. @throws LlamaError */
  async prepare(place: LlamaPlace): Promise<void> {
    await this.find(place).prepare();
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
    // Whoever waits for a model to be loaded takes no slot from those of another.
    await this.load(place, signal);
    const entering = this.slots.enter(holders, { signal }).catch((error: unknown) => {
      throw error instanceof QueueFullError ? new LlamaBusyError('too many wait for it') : error;
    });
    const leave = await this.calls.wait(entering);
    try {
      return yield* this.find(place).answer(request, signal);
    } finally {
      leave();
    }
  }

  private async load(place: LlamaPlace, signal: AbortSignal): Promise<void> {
    const process = this.find(place);
    if (process.isReady) return;
    const { localModelSlots, localModelQueue } = this.config;
    if (this.loading >= localModelSlots + localModelQueue) throw new LlamaBusyError('too many wait for it');
    this.loading++;
    try {
      await untilAborted(process.prepare(), signal);
    } finally {
      this.loading--;
    }
  }

  protected findLibrary(): URL | undefined {
    return findLlama();
  }

  private find({ model, context_tokens, max_tokens }: LlamaPlace): LlamaProcess {
    const path = this.store.pathOf(model);
    const contextSize = Math.ceil((context_tokens + max_tokens) / CONTEXT_STEP) * CONTEXT_STEP;
    const isEnough = (one: (typeof this.started)[number]) => one.path === path && one.contextSize >= contextSize;
    const fitting = this.started.filter(isEnough).map(({ process }) => process);
    const found =
      fitting.findLast(({ isReady }) => isReady) ??
      fitting.findLast(({ hasFailed }) => !hasFailed) ??
      fitting.findLast(({ isUsable }) => isUsable) ??
      fitting.at(-1);
    if (found) return found;
    const options = { library: this.findLibrary()!, model: path, contextSize, slots: this.config.localModelSlots };
    const process = new LlamaProcess(options);
    this.started.push({ path, contextSize, process });
    return process;
  }
}
