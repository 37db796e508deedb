import { LlamaStore } from 'avatar-chat-model-files';
import { untilAborted } from 'avatar-chat-runtime';
import { FairQueue, FairShare, QueueFullError } from 'avatar-chat-runtime';
import type { Config } from 'avatar-chat-settings';
import type { LlamaRequest, LlamaResult } from './llama.messages.js';
import { findLlama, LLAMA_PACKAGE, LlamaBusyError, LlamaProcess } from './llama.process.js';

/** Sizes of contexts are rounded up to this, so that similar entries share a process. */
const CONTEXT_STEP = 512;

/** What decides on the process of a request. */
export type LlamaPlace = Pick<LlamaRequest, 'context_tokens' | 'max_tokens'> & { readonly model: string };

/** The models inside the service: each in a child process. Users share the slots and the queue of all. */
export class LlamaModels {
  private readonly store: LlamaStore;
  /** The last of a model has the largest context; the others are asked only while it is not loaded, and end. */
  private readonly started: { readonly path: string; readonly contextSize: number; readonly process: LlamaProcess }[] =
    [];
  private readonly slots: FairQueue;
  /** Of those that wait for a model to be loaded. */
  private readonly loads: FairShare;

  /** @param calls counts what waits for a slot */
  constructor(
    private readonly config: Config,
    private readonly calls: { wait<T>(entered: Promise<T>): Promise<T> },
  ) {
    this.store = new LlamaStore(config.modelsDir);
    this.slots = new FairQueue(config.localModelSlots, config.localModelQueue);
    this.loads = new FairShare(config.localModelSlots + config.localModelQueue);
  }

  /** @internal Nest calls it. */
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
    let leave: (() => void) | undefined;
    let process: LlamaProcess;
    do {
      // Whoever waits for a model to be loaded takes no slot from those of another, also if it has ended meanwhile.
      leave?.();
      await this.load(place, holders, signal);
      leave = await this.calls.wait(this.enter(holders, signal));
      process = this.find(place);
    } while (!process.isReady);
    try {
      return yield* process.answer(request, signal);
    } finally {
      leave();
    }
  }

  private async enter(holders: readonly string[], signal: AbortSignal): Promise<() => void> {
    try {
      return await this.slots.enter(holders, { signal });
    } catch (error) {
      throw error instanceof QueueFullError ? new LlamaBusyError('too many wait for it') : error;
    }
  }

  private async load(place: LlamaPlace, holders: readonly string[], signal: AbortSignal): Promise<void> {
    const process = this.find(place);
    if (process.isReady) return process.prepare();
    const displaced = new AbortController();
    const busy = new LlamaBusyError('too many wait for it');
    const release = this.loads.acquire(holders, () => displaced.abort(busy));
    if (!release) throw busy;
    try {
      await untilAborted(process.prepare(), AbortSignal.any([signal, displaced.signal]));
    } finally {
      release();
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
