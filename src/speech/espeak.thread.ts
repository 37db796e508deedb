import { Worker } from 'node:worker_threads';
import { PACKAGES_ABSENT, type SynthesisJob } from './espeak.synthesis.js';
import type { SynthesisOrder, SynthesisReport } from './espeak.worker.js';
import type { Speech } from './speaker.js';
import { SpeechError } from './speech.error.js';

/** Jobs that may wait; the next one is refused. */
const QUEUE_LIMIT = 64;
/** What a job may take, in milliseconds; the longest text takes about 3 s. */
const TIME_LIMIT = 15_000;
/** What a thread that was told to leave a job may still take, before it is ended. */
const STOP_GRACE = 1000;

export type Synthesis = Speech | 'absent' | undefined;

interface Waiting extends SynthesisOrder {
  settle(result: Synthesis | SpeechError): void;
}

/** One thread that synthesizes one text after the other. It starts at the first, and again after a crash. */
export class SynthesisThread {
  private worker?: Worker;
  private readonly queue: Waiting[] = [];
  private current?: Waiting;
  private timer?: NodeJS.Timeout;

  /**
   * @param file the compiled worker
   * @param timeLimit milliseconds
   */
  constructor(
    private readonly file: URL,
    private readonly timeLimit = TIME_LIMIT,
  ) {}

  /**
   * @returns `absent` where the optional packages are not installed; undefined where there is no such voice, nothing to
   * be heard, or nobody waits any more
   * @throws SpeechError where too many wait already, it takes too long, or the thread crashes
   */
  synthesize(job: SynthesisJob, signal: AbortSignal): Promise<Synthesis> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return resolve(undefined);
      if (this.queue.length >= QUEUE_LIMIT) return reject(new SpeechError('Too much is to be spoken at once.'));
      const waiting: Waiting = {
        job,
        cancelled: new Int32Array(new SharedArrayBuffer(4)),
        settle: (result) => {
          signal.removeEventListener('abort', leave);
          if (result instanceof SpeechError) reject(result);
          else resolve(result);
        },
      };
      const leave = () => {
        Atomics.store(waiting.cancelled, 0, 1);
        waiting.settle(undefined);
        if (this.queue.includes(waiting)) this.queue.splice(this.queue.indexOf(waiting), 1);
      };
      signal.addEventListener('abort', leave, { once: true });
      this.queue.push(waiting);
      this.next();
    });
  }

  /** Starts the thread ahead of the first text. */
  prepare(): void {
    if (this.worker) return;
    this.worker = this.start();
    this.worker.unref();
  }

  async stop(): Promise<void> {
    for (const waiting of this.queue.splice(0)) waiting.settle(undefined);
    await this.worker?.terminate();
  }

  private next(): void {
    if (this.current || !(this.current = this.queue.shift())) return;
    const { job, cancelled, settle } = this.current;
    const worker = (this.worker ??= this.start());
    this.timer = setTimeout(() => {
      Atomics.store(cancelled, 0, 1);
      settle(new SpeechError('The speech took too long.'));
      this.timer = setTimeout(() => void worker.terminate(), STOP_GRACE);
    }, this.timeLimit);
    // Only a thread that has something to do is a reason for a process to stay.
    worker.ref();
    worker.postMessage({ job, cancelled } satisfies SynthesisOrder);
  }

  private start(): Worker {
    // What it prints may hold what it was given to say.
    const worker = new Worker(this.file, { stdout: true, stderr: true, env: {}, execArgv: [] });
    worker.on('message', (speech: SynthesisReport) => {
      worker.unref();
      this.finish(speech);
    });
    worker.on('error', () => undefined); // its exit follows
    worker.on('exit', (code) => {
      this.worker = undefined;
      this.finish(code === PACKAGES_ABSENT ? 'absent' : new SpeechError());
    });
    return worker;
  }

  private finish(result: Synthesis | SpeechError): void {
    clearTimeout(this.timer);
    this.current?.settle(result);
    this.current = undefined;
    this.next();
  }
}
