import type { Pronunciations } from '../text/spoken.text.js';
import { type Held, newestOfLargest } from '../largest.holder.js';
import { PACKAGES_ABSENT } from 'avatar-chat-runtime/processes';
import type { SpeechSamples, Speech } from '../audio/speech.samples.js';
import { SpeechError } from '../speech.error.js';

/** Maximum number of queued jobs. Beyond it, the newest of whoever has most is rejected. */
const QUEUE_LIMIT = 64;
/** Timeout of a job, in milliseconds. */
const TIME_LIMIT_MS = 30_000;
/** How long a worker may take to cancel a job before it is terminated. */
const STOP_GRACE_MS = 1000;
/** How many callers and holders are known by when they were served; then all are equal again. */
const MAX_SERVED = 1000;

/** The result for a text: a file, or samples for streaming playback. */
export interface SpeechForms {
  mp3: Speech;
  pcm: SpeechSamples;
}
export type SpeechForm = keyof SpeechForms;

export type Synthesis<Form extends SpeechForm = SpeechForm> = SpeechForms[Form] | 'absent' | undefined;

export interface SynthesisJob {
  readonly form: SpeechForm;
  readonly pronounce?: Pronunciations | undefined;
}

/** The thread or process exited during the job. */
export class SynthesisCrash extends SpeechError {}

/** A thread or process that runs one job at a time. */
export interface SynthesisWorkerClient<Job> {
  startJob(job: Job): void;
  /** Cancels the job; the worker still reports, and soon. */
  cancelJob(): void;
  /** Whether it keeps this process alive. */
  setBusy(isBusy: boolean): void;
  terminate(): Promise<unknown>;
}

/** Starts a worker, which calls back once per job, and when it has exited. @throws Error if it cannot be started */
export type StartSynthesisWorker<Job> = (
  onReport: (speech: Speech | SpeechSamples | undefined) => void,
  onEnd: (code: number | null) => void,
) => SynthesisWorkerClient<Job>;

interface Waiting<Job> extends Held {
  job: Job;
  /** The signal of the caller: all jobs of one answer have the same. */
  signal: AbortSignal;
  resolveJob(result: Synthesis | SpeechError): void;
}

/** By what jobs take turns. */
const SHARES: readonly ((one: Pick<Waiting<unknown>, 'holders' | 'signal'>) => unknown)[] = [
  ({ holders }) => holders.at(-1),
  ({ holders }) => holders[0],
  ({ signal }) => signal,
];

/**
 * Synthesizes one text at a time, on a worker that starts with the first text, and again after a crash. Callers take
 * turns: the address, the user and then the answer that was least recently served is next.
 */
export class SynthesisQueue<Job extends SynthesisJob> {
  private worker?: SynthesisWorkerClient<Job>;
  private queue: Waiting<Job>[] = [];
  private readonly served = new Map<unknown, number>();
  private current?: Waiting<Job>;
  private timer?: NodeJS.Timeout;

  /**
   * @param idleLimit idle time in milliseconds after which the worker is ended; omitted, it stays
   * @param timeLimit timeout of a job, in milliseconds
   */
  constructor(
    private readonly startWorker: StartSynthesisWorker<Job>,
    private readonly idleLimit?: number,
    private readonly timeLimit = TIME_LIMIT_MS,
  ) {}

  /**
   * @param holders who wants it: the user, then, where users cost nothing, the address
   * @returns `absent` if the optional packages are not installed; undefined if there is no such voice, nothing to
   *   speak, or the signal was aborted
   * @throws SpeechError if the queue is full, or becomes so while its holder has most, it takes too long, or the worker crashes or cannot be started
   */
  synthesize<Form extends SpeechForm>(
    job: Job & { form: Form },
    signal: AbortSignal,
    holders: readonly string[] = [],
  ): Promise<Synthesis<Form>> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return resolve(undefined);
      const waiting: Waiting<Job> = {
        job,
        signal,
        holders,
        resolveJob: (result) => {
          signal.removeEventListener('abort', onAbort);
          if (result instanceof SpeechError) reject(result);
          // The worker's result has the type that the job requested.
          else resolve(result as Synthesis<Form>);
        },
      };
      const onAbort = () => {
        if (waiting === this.current) this.worker?.cancelJob();
        waiting.resolveJob(undefined);
        this.queue = this.queue.filter((one) => one !== waiting);
      };
      if (this.queue.length >= QUEUE_LIMIT) {
        const refused = newestOfLargest(this.queue, waiting) ?? waiting;
        this.queue = this.queue.filter((one) => one !== refused);
        refused.resolveJob(new SpeechError('Too much is to be spoken at once.'));
        if (refused === waiting) return;
      }
      signal.addEventListener('abort', onAbort, { once: true });
      this.queue.push(waiting);
      this.startNext();
    });
  }

  get isBusy(): boolean {
    return this.current !== undefined;
  }

  /** Starts the worker ahead of the first text. */
  prepare(): void {
    if (this.worker || !(this.worker = this.start())) return;
    this.worker.setBusy(false);
    this.stopWhenIdle();
  }

  async stop(): Promise<void> {
    for (const waiting of this.queue.splice(0)) waiting.resolveJob(undefined);
    await this.worker?.terminate();
  }

  private startNext(): void {
    if (this.current || !(this.current = this.takeNext())) return;
    const { job, resolveJob } = this.current;
    const worker = (this.worker ??= this.start());
    if (!worker) return this.finishJob(new SpeechError('The speech synthesizer could not be started.'));
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      worker.cancelJob();
      resolveJob(new SpeechError('The speech took too long.'));
      this.timer = setTimeout(() => void worker.terminate(), STOP_GRACE_MS);
    }, this.timeLimit);
    // Only a busy worker keeps the process alive.
    worker.setBusy(true);
    worker.startJob(job);
  }

  private takeNext(): Waiting<Job> | undefined {
    let candidates = this.queue;
    for (const keyOf of SHARES) {
      const servedAt = (one: Waiting<Job>) => this.served.get(keyOf(one)) ?? 0;
      const least = Math.min(...candidates.map(servedAt));
      candidates = candidates.filter((one) => servedAt(one) === least);
    }
    const [next] = candidates;
    if (!next) return undefined;
    this.queue = this.queue.filter((one) => one !== next);
    if (this.served.size > MAX_SERVED) this.served.clear();
    const now = performance.now();
    for (const keyOf of SHARES) this.served.set(keyOf(next), now);
    return next;
  }

  /** @returns undefined if it cannot be started */
  private start(): SynthesisWorkerClient<Job> | undefined {
    try {
      const worker = this.startWorker(
        (speech) => {
          worker.setBusy(false);
          this.finishJob(speech);
        },
        (code) => {
          if (worker !== this.worker) return;
          this.worker = undefined;
          this.finishJob(code === PACKAGES_ABSENT ? 'absent' : new SynthesisCrash());
        },
      );
      return worker;
    } catch {
      return undefined;
    }
  }

  private finishJob(result: Synthesis | SpeechError): void {
    clearTimeout(this.timer);
    this.current?.resolveJob(result);
    this.current = undefined;
    this.startNext();
    if (!this.current) this.stopWhenIdle();
  }

  /** Ends an idle worker, to release its memory. */
  private stopWhenIdle(): void {
    const { worker } = this;
    if (this.idleLimit === undefined || !worker) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.worker = undefined;
      void worker.terminate();
    }, this.idleLimit).unref();
  }
}
