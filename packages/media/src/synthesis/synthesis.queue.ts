import { PACKAGES_ABSENT } from '../processes/isolated.js';
import type { SpeechSamples } from '../audio/speech.samples.js';
import type { Speech } from './speech.js';
import { SpeechError } from '../speech.error.js';

/** Maximum number of queued jobs; further ones are rejected. */
const QUEUE_LIMIT = 64;
/** Timeout of a job, in milliseconds. */
const TIME_LIMIT_MS = 30_000;
/** How long a host may take to cancel a job before it is terminated. */
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
}

/** The thread or process exited during the job. */
export class SynthesisCrash extends SpeechError {}

/** A thread or process that runs one job at a time. */
export interface SynthesisHost<Job> {
  begin(job: Job): void;
  /** Cancels the job; the host still reports, and soon. */
  cancel(): void;
  /** Whether it keeps this process alive. */
  hold(isBusy: boolean): void;
  end(): Promise<unknown>;
}

/** Starts a host, which calls back once per job, and when it has exited. @throws Error if it cannot be started */
export type StartHost<Job> = (
  onReport: (speech: Speech | SpeechSamples | undefined) => void,
  onEnd: (code: number | null) => void,
) => SynthesisHost<Job>;

interface Waiting<Job> {
  job: Job;
  /** The signal of the caller: all jobs of one answer have the same. */
  signal: AbortSignal;
  settle(result: Synthesis | SpeechError): void;
}

/**
 * Synthesizes one text at a time, on a host that starts with the first text, and again after a crash. Callers take
 * turns: the least recently served is next.
 */
export class SynthesisQueue<Job extends SynthesisJob> {
  private host?: SynthesisHost<Job>;
  private readonly queue: Waiting<Job>[] = [];
  private readonly served = new WeakMap<AbortSignal, number>();
  private jobs = 0;
  private current?: Waiting<Job>;
  private timer?: NodeJS.Timeout;

  /**
   * @param idleLimit idle time in milliseconds after which the host is ended; omitted, it stays
   * @param timeLimit timeout of a job, in milliseconds
   */
  constructor(
    private readonly startHost: StartHost<Job>,
    private readonly idleLimit?: number,
    private readonly timeLimit = TIME_LIMIT_MS,
  ) {}

  /**
   * @returns `absent` if the optional packages are not installed; undefined if there is no such voice, nothing to
   *   speak, or the signal was aborted
   * @throws SpeechError if the queue is full, it takes too long, or the host crashes or cannot be started
   */
  synthesize<Form extends SpeechForm>(job: Job & { form: Form }, signal: AbortSignal): Promise<Synthesis<Form>> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return resolve(undefined);
      if (this.queue.length >= QUEUE_LIMIT) return reject(new SpeechError('Too much is to be spoken at once.'));
      const waiting: Waiting<Job> = {
        job,
        signal,
        settle: (result) => {
          signal.removeEventListener('abort', leave);
          if (result instanceof SpeechError) reject(result);
          // The host's result has the type that the job requested.
          else resolve(result as Synthesis<Form>);
        },
      };
      const leave = () => {
        if (waiting === this.current) this.host?.cancel();
        waiting.settle(undefined);
        if (this.queue.includes(waiting)) this.queue.splice(this.queue.indexOf(waiting), 1);
      };
      signal.addEventListener('abort', leave, { once: true });
      this.queue.push(waiting);
      this.next();
    });
  }

  /** Whether there is a job. */
  get isBusy(): boolean {
    return this.current !== undefined;
  }

  /** Starts the host ahead of the first text. */
  prepare(): void {
    if (this.host || !(this.host = this.start())) return;
    this.host.hold(false);
    this.rest();
  }

  async stop(): Promise<void> {
    for (const waiting of this.queue.splice(0)) waiting.settle(undefined);
    await this.host?.end();
  }

  private next(): void {
    if (this.current || !(this.current = this.takeNext())) return;
    const { job, settle } = this.current;
    const host = (this.host ??= this.start());
    if (!host) return this.finish(new SpeechError('The speech synthesizer could not be started.'));
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      host.cancel();
      settle(new SpeechError('The speech took too long.'));
      this.timer = setTimeout(() => void host.end(), STOP_GRACE_MS);
    }, this.timeLimit);
    // Only a busy host keeps the process alive.
    host.hold(true);
    host.begin(job);
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
  private start(): SynthesisHost<Job> | undefined {
    try {
      const host = this.startHost(
        (speech) => {
          host.hold(false);
          this.finish(speech);
        },
        (code) => {
          if (host !== this.host) return;
          this.host = undefined;
          this.finish(code === PACKAGES_ABSENT ? 'absent' : new SynthesisCrash());
        },
      );
      return host;
    } catch {
      return undefined;
    }
  }

  private finish(result: Synthesis | SpeechError): void {
    clearTimeout(this.timer);
    this.current?.settle(result);
    this.current = undefined;
    this.next();
    if (!this.current) this.rest();
  }

  /** Ends an idle host, to release its memory. */
  private rest(): void {
    const { host } = this;
    if (this.idleLimit === undefined || !host) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.host = undefined;
      void host.end();
    }, this.idleLimit).unref();
  }
}
