import type { ChildProcess } from 'node:child_process';
import { createRequire } from 'node:module';
import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { compiledProgram, startIsolated } from 'avatar-chat-runtime/processes';
import type { FromLlama, LlamaRequest, LlamaResult, LlamaStart, ToLlama } from './llama.messages.js';

/** The version of the optional package that is used. */
export const LLAMA_PACKAGE = 'node-llama-cpp@3.21.1';
/** How long a model that cannot be used is not tried again, in milliseconds. */
const REST_MS = 30_000;
/** Timeout of the loading of a model, in milliseconds. */
const LOAD_MS = 120_000;
/** How long a stopped answer may go on, in milliseconds: a part of a long prompt takes a while. */
const STOP_MS = 60_000;
/** After how long without a request a process ends, in milliseconds. */
const IDLE_MS = 600_000;

/** The model cannot answer. The message is for operators. */
export class LlamaError extends Error {
  override readonly name: string = 'LlamaError';
}

/** As many requests as allowed are answered and wait. */
export class LlamaBusyError extends LlamaError {
  override readonly name = 'LlamaBusyError';
}

/**
 * The entry of the optional package `node-llama-cpp`.
 *
 * @param directories further ones in which `node_modules` is
 * @returns undefined if it is not installed
 */
export function findLlama(directories: readonly string[] = []): URL | undefined {
  const paths = [
    ...directories.map((directory) => join(directory, 'node_modules')),
    ...(createRequire(import.meta.url).resolve.paths('node-llama-cpp') ?? []),
  ];
  const folder = paths
    .map((path) => join(path, 'node-llama-cpp'))
    .find((path) => existsSync(join(path, 'package.json')));
  if (folder === undefined) return undefined;
  const { main = 'dist/index.js' } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    main?: string;
  };
  return pathToFileURL(join(folder, main));
}

export interface LlamaOptions {
  readonly library: URL;
  /** Path of a GGUF file. */
  readonly model: string;
  /** Tokens of a prompt and its answer together. */
  readonly contextSize: number;
  /** Answers at a time. */
  readonly slots: number;
}

/**
 * A language model in a child process, which is started with the first request, and again after a crash or a rest. A
 * crash fails the requests in progress.
 */
export class LlamaProcess {
  protected readonly stopMs: number = STOP_MS;
  private readonly asked = new Map<number, (message: Extract<FromLlama, { id: number }>) => void>();
  private readonly idle = setInterval(() => this.asked.size > 0 || this.rest(), IDLE_MS).unref();
  private child?: ChildProcess;
  private ready?: Promise<void>;
  private isLoaded = false;
  private unusable?: { readonly reason: string; readonly until: number };
  private lastId = 0;
  private isStopped = false;

  constructor(private readonly options: LlamaOptions) {}

  /** Whether its model is not known to have failed just now. */
  get isUsable(): boolean {
    return !this.unusable || performance.now() >= this.unusable.until;
  }

  /** Whether its model is loaded. */
  get isReady(): boolean {
    return this.isLoaded;
  }

  /** Whether its model could not be loaded the last time. */
  get hasFailed(): boolean {
    return this.unusable !== undefined;
  }

  /** Loads the model, if it is not. @throws LlamaError */
  prepare(): Promise<void> {
    if (!this.isUsable) return Promise.reject(new LlamaError(this.unusable!.reason));
    this.idle.refresh();
    return (this.ready ??= this.start().catch((error: unknown) => {
      this.unusable = { reason: (error as Error).message, until: performance.now() + REST_MS };
      this.ready = undefined;
      throw error;
    }));
  }

  /**
   * Answers in pieces. The caller asks no more at a time than there are slots.
   *
   * @throws LlamaError if there is no answer, or it is incomplete
   */
  async *answer(request: LlamaRequest, signal: AbortSignal): AsyncGenerator<string, LlamaResult> {
    await this.prepare();
    const child = this.child!;
    const id = ++this.lastId;
    const messages: Extract<FromLlama, { id: number }>[] = [];
    let wake = () => {};
    this.asked.set(id, (message) => {
      messages.push(message);
      wake();
    });
    let timer: NodeJS.Timeout | undefined;
    const stop = () => {
      sendTo(child, { type: 'stop', id });
      timer ??= setTimeout(() => child.kill('SIGKILL'), this.stopMs);
    };
    signal.addEventListener('abort', stop);
    let isOver = false;
    try {
      sendTo(child, { type: 'ask', id, request });
      if (signal.aborted) stop();
      for (;;) {
        const message = messages.shift();
        if (!message) await new Promise<void>((resolve) => (wake = resolve));
        else if (message.type === 'piece') yield message.text;
        else {
          isOver = true;
          if (message.type === 'failed') throw new LlamaError(message.reason);
          return message.result;
        }
      }
    } finally {
      signal.removeEventListener('abort', stop);
      if (!isOver) {
        stop();
        // The slot is free when the child says so, or has been ended.
        await new Promise<void>((resolve) => {
          if (messages.some(({ type }) => type !== 'piece')) resolve();
          else this.asked.set(id, ({ type }) => (type === 'piece' ? undefined : resolve()));
        });
      }
      clearTimeout(timer);
      this.asked.delete(id);
    }
  }

  /** Ends the process at once, for ever. */
  stop(): void {
    this.isStopped = true;
    clearInterval(this.idle);
    this.child?.kill('SIGKILL');
  }

  /** Ends the child until it is needed. */
  private rest(): void {
    this.child?.kill('SIGKILL');
    this.child = this.ready = undefined;
    this.isLoaded = false;
  }

  private start(): Promise<void> {
    const program = compiledProgram(new URL('llama.worker.js', import.meta.url));
    if (!program || this.isStopped) return Promise.reject(new LlamaError('it cannot be started'));
    const { library, model, contextSize, slots } = this.options;
    const threads = Math.max(1, availableParallelism() - 1);
    const start: LlamaStart = { library: library.href, model, contextSize, slots, threads };
    return new Promise((resolve, reject) => {
      const child = startIsolated(program, [JSON.stringify(start)]);
      this.child = child;
      const timer = setTimeout(() => child.kill('SIGKILL'), LOAD_MS);
      child.on('message', (message: FromLlama) => {
        if (message.type === 'unusable') reject(new LlamaError(message.reason));
        else if (message.type === 'ready') {
          clearTimeout(timer);
          this.unusable = undefined;
          this.isLoaded = true;
          resolve();
        } else this.asked.get(message.id)?.(message);
      });
      child.once('exit', () => {
        clearTimeout(timer);
        reject(new LlamaError('its process ended while it was loaded'));
        // The next one may have begun.
        if (this.child !== child) return;
        this.ready = undefined;
        this.isLoaded = false;
        for (const [id, onMessage] of this.asked) onMessage({ type: 'failed', id, reason: 'its process ended' });
      });
    });
  }
}

/** A child that has ended is told nothing: its exit fails what it was asked. */
function sendTo(child: ChildProcess, message: ToLlama): void {
  if (child.connected) child.send(message, () => undefined);
}
