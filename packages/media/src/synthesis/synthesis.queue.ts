import type { Pronunciations } from '../text/spoken.text.js';
import { PACKAGES_ABSENT } from '../processes/isolated.js';
import type { SpeechSamples, Speech } from '../audio/speech.samples.js';
import { SpeechError } from '../speech.error.js';

/** Maximum number of queued jobs; further ones are rejected. */
const QUEUE_LIMIT = 64;
/** Timeout of a job, in milliseconds. */
const TIME_LIMIT_MS = 30_000;
/** How long a worker may take to cancel a job before it is terminated. */
const STOP_GRACE_MS = 1000;

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

interface Waiting<Job> {
  job: Job;
  /** The signal of the caller: all jobs of one answer have the same. */
  signal: AbortSignal;
  resolveJob(result: Synthesis | SpeechError): void;
}

/**
 * Synthesizes one text at a time, on a worker that starts with the first text, and again after a crash. Callers take
 * turns: the least recently served is next.
 */
export class SynthesisQueue<Job extends SynthesisJob> {
  private worker?: SynthesisWorkerClient<Job>;
  private readonly queue: Waiting<Job>[] = [];
  private readonly served = new WeakMap<AbortSignal, number>();
  private jobs = 0;
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
   * @returns `absent` if the optional packages are not installed; undefined if there is no such voice, nothing to
   *   speak, or the signal was aborted
   * @throws SpeechError if the queue is full, it takes too long, or the worker crashes or cannot be started
   */
  synthesize<Form extends SpeechForm>(job: Job & { form: Form }, signal: AbortSignal): Promise<Synthesis<Form>> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return resolve(undefined);
      if (this.queue.length >= QUEUE_LIMIT) return reject(new SpeechError('Too much is to be spoken at once.'));
      const waiting: Waiting<Job> = {
        job,
        signal,
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
        if (this.queue.includes(waiting)) this.queue.splice(this.queue.indexOf(waiting), 1);
      };
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
    const lastServed = ({ signal }: Waiting<Job>) => this.served.get(signal) ?? 0;
    const [first, ...others] = this.queue;
    if (!first) return undefined;
    const next = others.reduce((best, one) => (lastServed(one) < lastServed(best) ? one : best), first);
    this.queue.splice(this.queue.indexOf(next), 1);
    this.served.set(next.signal, ++this.jobs);
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
