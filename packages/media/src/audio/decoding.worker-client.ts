import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { mediaProgram } from '../programs.js';
import { PACKAGES_ABSENT, startThread } from 'avatar-chat-runtime/processes';
import type { DecodingAnswer, DecodingCommand } from './decoding.messages.js';
import type { Samples } from './recording.samples.js';

/** Limits in milliseconds; overridden only in tests. */
export interface DecodingLimits {
  /** For one step, which takes some 50 ms; loading the decoders takes about 200 ms. */
  readonly step: number;
  /** Idle time after which the thread ends, to release its memory. */
  readonly idle: number;
}

const LIMITS: DecodingLimits = { step: 10_000, idle: 60_000 };
/** V8 limits. Samples and recordings are not part of them. */
const HEAP = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 128 };

/** Audio cannot be decoded: it is damaged, takes too long, or needs optional packages. */
export class DecodingError extends Error {
  constructor(readonly isPackageAbsent = false) {
    super(isPackageAbsent ? 'The packages that decode audio are not installed' : 'The audio cannot be decoded');
  }
}

/**
 * Decodes audio from elsewhere in a worker thread: a file that is made to keep a decoder busy for ever only ends the
 * thread. Steps of several recordings take turns.
 */
export class DecodingWorkerClient {
  private thread?: Worker;
  private lastId = 0;
  /** The step in progress, and all before it. */
  private steps: Promise<unknown> = Promise.resolve();
  private timer?: NodeJS.Timeout;

  constructor(
    private readonly limits = LIMITS,
    private readonly file = mediaProgram('audio/decoding.worker.js'),
  ) {}

  /**
   * Decodes a recording step by step, each at most about a second of audio and possibly empty. Ends early if it is damaged
   * or hangs.
   *
   * @throws DecodingError if the optional packages are not installed
   */
  async *decodeRecording(recording: Uint8Array): AsyncGenerator<readonly Samples[], void> {
    const id = ++this.lastId;
    // The thread may end with another recording; then this one is opened again.
    const shared = new Uint8Array(new SharedArrayBuffer(recording.length));
    shared.set(recording);
    let [skip, thread] = [0, undefined as Worker | undefined];
    try {
      for (let isLast = false; !isLast;) {
        const answer = await this.exclusively(async () => {
          if (!this.thread || thread !== this.thread) {
            await this.ask({ id, open: shared, skip });
            thread = this.thread;
          }
          return this.ask({ id, next: true });
        });
        if (!('chunks' in answer)) return;
        for (const { samples } of answer.chunks) skip += samples.length;
        yield answer.chunks;
        ({ isLast } = answer);
      }
    } catch (error) {
      if (!(error instanceof DecodingError) || error.isPackageAbsent) throw error;
    } finally {
      if (thread && thread === this.thread) thread.postMessage({ id, close: true } satisfies DecodingCommand);
    }
  }

  /**
   * Decodes an MP3 of speech.
   *
   * @returns 16-bit mono samples at `LIVE_RATE`
   * @throws DecodingError also if it is longer than the given number of seconds
   */
  async decodeSpeech(mp3: Uint8Array, seconds: number): Promise<Int16Array> {
    const answer = await this.exclusively(() => this.ask({ id: ++this.lastId, speech: mp3, seconds }));
    if (!('samples' in answer)) throw new DecodingError();
    return answer.samples;
  }

  /** Ends the thread; it starts again if it is needed. */
  async stop(): Promise<void> {
    clearTimeout(this.timer);
    const { thread } = this;
    this.thread = undefined;
    await thread?.terminate();
  }

  /** One step at a time, so that it is known which one hangs. */
  private exclusively<T>(step: () => Promise<T>): Promise<T> {
    const result = this.steps.then(() => {
      clearTimeout(this.timer);
      return step();
    });
    const stopWhenIdle = () => {
      this.timer = setTimeout(() => void this.stop(), this.limits.idle).unref();
    };
    this.steps = result.then(stopWhenIdle, stopWhenIdle);
    return result;
  }

  /** @throws DecodingError if the thread ends or has to be ended */
  private async ask(command: DecodingCommand): Promise<DecodingAnswer> {
    const thread = (this.thread ??= this.startDecoding());
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), this.limits.step);
    const exit = once(thread, 'exit', { signal: late.signal }).then(([code]) => {
      throw new DecodingError(code === PACKAGES_ABSENT);
    });
    try {
      thread.postMessage(command);
      const [answer] = await Promise.race([once(thread, 'message', { signal: late.signal }), exit]);
      return answer as DecodingAnswer;
    } catch (error) {
      if (this.thread === thread) await this.stop();
      throw error instanceof DecodingError ? error : new DecodingError();
    } finally {
      clearTimeout(timer);
      late.abort();
      exit.catch(() => undefined);
    }
  }

  private startDecoding(): Worker {
    if (!this.file) throw new DecodingError(true);
    const thread = startThread(this.file, HEAP);
    thread.on('exit', () => {
      if (this.thread === thread) this.thread = undefined;
    });
    thread.unref();
    return thread;
  }
}
