import { type Held, newestOfLargest } from '../largest.holder.js';

/** Kinds of jobs, most urgent first. */
export type Urgency = 'final' | 'guess' | 'recording';

/** Maximum number of queued utterances. Beyond it, those of the owner with the most get no transcript. */
const WAITING_LIMIT = 32;
/** Partial transcripts may take this fraction of the time: one part in so many. */
const PARTIAL_SHARE = 6;

/** A decoding job. */
export interface DecodeJob {
  /** Undefined if it was cancelled, or the queue was full. */
  readonly text: Promise<string | undefined>;
  /** The language that the model heard, if it chose one; known with the text. */
  language?: string;
  /** Makes it final: the audio ends a turn. */
  makeFinal(): void;
  /** Removes it from the queue; a job in progress continues. */
  cancel(): void;
}

interface Waiting extends DecodeJob, Held {
  readonly owner: string;
  readonly samples: Float32Array;
  urgency: Urgency;
  resolve(text: string | undefined): void;
}

/** Maximum concurrency: two for ends of turns, since several may end together; otherwise one, for memory and CPU. */
const AT_ONCE: Readonly<Record<Urgency, number>> = { final: 2, guess: 1, recording: 1 };
const ORDER = Object.keys(AT_ONCE) as Urgency[];

/** The queue as one of its users sees it. */
export type Decodes = Pick<DecodeQueue, 'isFree'> & {
  add(samples: Float32Array, urgency: Urgency): DecodeJob;
  partial(samples: Float32Array): Promise<string | undefined>;
};

/** Decodes the audio of several speakers and recordings, most urgent first, and of equally urgent ones in turns. */
export class DecodeQueue {
  private waiting: Waiting[] = [];
  private running = 0;
  /** When the next partial transcript may be decoded. */
  private nextPartialAt = 0;
  /** Owners with queued audio, each with the number of the last decoding that was theirs. */
  private readonly lastServed = new Map<string, number>();
  private served = 0;

  constructor(
    private readonly decode: (samples: Float32Array, onLanguage: (code: string) => void) => Promise<string>,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** The queue for one owner of audio, who shares it with the others. */
  sharedBy(owner: string): Decodes {
    return {
      add: (samples, urgency) => this.add(samples, urgency, owner),
      partial: (samples) => this.partial(samples, owner),
      isFree: (isShort) => this.isFree(isShort),
    };
  }

  add(samples: Float32Array, urgency: Urgency, owner: string): DecodeJob {
    let resolve!: (text: string | undefined) => void;
    const text = new Promise<string | undefined>((done) => (resolve = done));
    const makeFinal = () => {
      job.urgency = 'final';
      void this.run();
    };
    const holders = [owner];
    const job: Waiting = { owner, holders, samples, text, urgency, resolve, makeFinal, cancel: () => this.remove(job) };
    const isFull = () => urgency !== 'recording' && this.waiting.length >= WAITING_LIMIT;
    const utterances = this.waiting.filter((one) => one.urgency !== 'recording');
    if (isFull()) this.remove(newestOfLargest(utterances, job));
    if (isFull()) resolve(undefined);
    else this.waiting.push(job);
    void this.run();
    return job;
  }

  /**
   * Whether a partial transcript may be decoded now: not if anything is queued or in progress, nor if partial ones have
   * used up their share of the time.
   *
   * @param isShort short ones are cheap, and somebody may wait for them
   */
  isFree(isShort: boolean): boolean {
    return this.running === 0 && (isShort || this.now() >= this.nextPartialAt);
  }

  /** Decodes a partial transcript. */
  async partial(samples: Float32Array, owner: string): Promise<string | undefined> {
    const began = this.now();
    const text = await this.add(samples, 'guess', owner).text;
    const now = this.now();
    this.nextPartialAt = now + (PARTIAL_SHARE - 1) * (now - began);
    return text;
  }

  private async run(): Promise<void> {
    for (let next = this.next(); next; next = this.next()) {
      this.running++;
      next.resolve(await this.decode(next.samples, (code) => (next.language = code)).catch(() => undefined));
      this.running--;
    }
  }

  private next(): Waiting | undefined {
    const urgency = ORDER.find((one) => this.waiting.some((job) => job.urgency === one));
    if (urgency === undefined || this.running >= AT_ONCE[urgency]) return undefined;
    const servedAt = ({ owner }: Waiting) => this.lastServed.get(owner) ?? 0;
    const next = this.waiting
      .filter((job) => job.urgency === urgency)
      .reduce((first, job) => (servedAt(job) < servedAt(first) ? job : first));
    this.drop(next);
    if (this.waiting.some(({ owner }) => owner === next.owner)) this.lastServed.set(next.owner, ++this.served);
    return next;
  }

  private remove(job: Waiting | undefined): void {
    if (!job || !this.waiting.includes(job)) return;
    this.drop(job);
    job.resolve(undefined);
  }

  private drop(job: Waiting): void {
    this.waiting.splice(this.waiting.indexOf(job), 1);
    if (!this.waiting.some(({ owner }) => owner === job.owner)) this.lastServed.delete(job.owner);
  }
}
