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
import { FairShare } from 'avatar-chat-runtime';
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
  private readonly running = new Map<string, { readonly process: LlamaProcess; readonly slots: Slots }>();

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
   * @param holder the user, who shares slots and queue with others
   * @throws LlamaBusyError if too many wait, or LlamaError
   */
  async *answer(
    place: LlamaPlace,
    request: LlamaRequest,
    holder: string,
    signal: AbortSignal,
  ): AsyncGenerator<string, LlamaResult> {
    const { process, slots } = this.find(place);
    const leave = await this.calls.wait(slots.enter(holder, signal));
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
      slots: new Slots(slots, localModelQueue),
    };
    this.running.set(key, found);
    return found;
  }
}

/** Places at a model, and those who wait for one. In a full queue, whoever waits most often gives way. */
class Slots {
  private readonly waiting = new Set<() => void>();
  private readonly queue: FairShare;
  private taken = 0;

  constructor(
    private readonly capacity: number,
    queue: number,
  ) {
    this.queue = new FairShare(queue);
  }

  /** @returns a function to call at the end @throws LlamaBusyError, or the signal's reason */
  async enter(holder: string, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.taken < this.capacity) this.taken++;
    else await this.wait(holder, signal);
    // The place is handed on, or free.
    return () => {
      const [next] = this.waiting;
      if (next) next();
      else this.taken--;
    };
  }

  private wait(holder: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (end: () => void) => () => {
        this.waiting.delete(enter);
        signal.removeEventListener('abort', abort);
        end();
      };
      const release = this.queue.acquire([holder], () => giveWay());
      const enter = leave(() => (release?.(), resolve()));
      const abort = leave(() => (release?.(), reject(signal.reason as Error)));
      const giveWay = leave(() => reject(new LlamaBusyError('too many wait for it')));
      if (!release) return giveWay();
      this.waiting.add(enter);
      signal.addEventListener('abort', abort);
    });
  }
}
