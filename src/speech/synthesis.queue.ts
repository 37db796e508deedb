import { PACKAGES_ABSENT } from '../platform/programs/index.js';
import type { Sound } from './sound.js';
import type { Speech } from './speaker.js';
import { SpeechError } from './speech.error.js';

/** Jobs that may wait; the next one is refused. */
const QUEUE_LIMIT = 64;
/** What a job may take, in milliseconds. */
const TIME_LIMIT = 30_000;
/** What a host that was told to leave a job may still take, before it is ended. */
const STOP_GRACE = 1000;

/** What a text becomes: a file, or samples for those who play it as it comes. */
export interface SpeechForms {
  mp3: Speech;
  pcm: Sound;
}
export type SpeechForm = keyof SpeechForms;

export type Synthesis<Form extends SpeechForm = SpeechForm> = SpeechForms[Form] | 'absent' | undefined;

export interface SynthesisJob {
  readonly form: SpeechForm;
}

/** The thread or process that ended with a job in it. */
export class SynthesisCrash extends SpeechError {}

/** A thread or process that does one job after the other. */
export interface SynthesisHost<Job> {
  begin(job: Job): void;
  /** Nobody waits for the job any more; it reports nevertheless, and soon. */
  cancel(): void;
  /** Whether it is a reason for this process to stay. */
  hold(isBusy: boolean): void;
  end(): Promise<unknown>;
}

/** Starts a host, which calls back once for each job, and when it has ended. */
export type StartHost<Job> = (
  onReport: (speech: Speech | Sound | undefined) => void,
  onEnd: (code: number | null) => void,
) => SynthesisHost<Job>;

interface Waiting<Job> {
  job: Job;
  /** Of whoever waits for it: all jobs of one answer have the same. */
  signal: AbortSignal;
  settle(result: Synthesis | SpeechError): void;
}

/**
 * One text is synthesized after the other, by a host that starts at the first, and again after a crash. Those who wait
 * take turns: who was served longest ago, or never, is next.
 */
export class SynthesisQueue<Job extends SynthesisJob> {
  private host?: SynthesisHost<Job>;
  private readonly queue: Waiting<Job>[] = [];
  private readonly served = new WeakMap<AbortSignal, number>();
  private jobs = 0;
  private current?: Waiting<Job>;
  private timer?: NodeJS.Timeout;

  /**
   * @param idleLimit after how many milliseconds without a job the host is ended; left out, it stays
   * @param timeLimit what a job may take, in milliseconds
   */
  constructor(
    private readonly startHost: StartHost<Job>,
    private readonly idleLimit?: number,
    private readonly timeLimit = TIME_LIMIT,
  ) {}

  /**
   * @returns `absent` where the optional packages are not installed; undefined where there is no such voice, nothing to
   * be heard, or nobody waits any more
   * @throws SpeechError where too many wait already, it takes too long, or the host crashes
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
          // A host reports what the job asked for.
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
    if (this.host) return;
    this.host = this.start();
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
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      host.cancel();
      settle(new SpeechError('The speech took too long.'));
      this.timer = setTimeout(() => void host.end(), STOP_GRACE);
    }, this.timeLimit);
    // Only a host that has something to do is a reason for a process to stay.
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

  private start(): SynthesisHost<Job> {
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
  }

  private finish(result: Synthesis | SpeechError): void {
    clearTimeout(this.timer);
    this.current?.settle(result);
    this.current = undefined;
    this.next();
    if (!this.current) this.rest();
  }

  /** Has a host that gets nothing to do give its memory back. */
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
