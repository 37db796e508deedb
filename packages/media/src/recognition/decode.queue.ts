/** Kinds of jobs, most urgent first. */
export type Urgency = 'final' | 'guess' | 'recording';

const ORDER: readonly Urgency[] = ['final', 'guess', 'recording'];
/** Maximum number of queued utterances; further ones get no transcript. */
const WAITING_LIMIT = 32;
/** Partial transcripts may take this fraction of the time: one part in so many. */
const PARTIAL_SHARE = 6;

/** A decoding job. */
export interface DecodeJob {
  /** Undefined if it was cancelled, or the queue was full. */
  readonly text: Promise<string | undefined>;
  /** Makes it final: the audio ends a turn. */
  makeFinal(): void;
  /** Removes it from the queue; a job in progress continues. */
  cancel(): void;
}

interface Waiting extends DecodeJob {
  readonly samples: Float32Array;
  urgency: Urgency;
  resolve(text: string | undefined): void;
}

/** Maximum concurrency: two for ends of turns, since several may end together; otherwise one, for memory and CPU. */
const AT_ONCE: Readonly<Record<Urgency, number>> = { final: 2, guess: 1, recording: 1 };

/** Decodes the audio of several speakers and recordings, most urgent first. */
export class DecodeQueue {
  private waiting: Waiting[] = [];
  private running = 0;
  /** When the next partial transcript may be decoded. */
  private nextPartialAt = 0;

  constructor(
    private readonly decode: (samples: Float32Array) => Promise<string>,
    private readonly now: () => number = () => performance.now(),
  ) {}

  add(samples: Float32Array, urgency: Urgency): DecodeJob {
    const { promise: text, resolve } = withResolvers<string | undefined>();
    const makeFinal = () => {
      job.urgency = 'final';
      void this.run();
    };
    const job: Waiting = { samples, text, urgency, resolve, makeFinal, cancel: () => this.leave(job) };
    if (urgency !== 'recording' && this.waiting.length >= WAITING_LIMIT) resolve(undefined);
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
  async partial(samples: Float32Array): Promise<string | undefined> {
    const began = this.now();
    const text = await this.add(samples, 'guess').text;
    const now = this.now();
    this.nextPartialAt = now + (PARTIAL_SHARE - 1) * (now - began);
    return text;
  }

  private async run(): Promise<void> {
    for (let next = this.next(); next; next = this.next()) {
      this.running++;
      next.resolve(await this.decode(next.samples).catch(() => undefined));
      this.running--;
    }
  }

  private next(): Waiting | undefined {
    const urgency = ORDER.find((one) => this.waiting.some((job) => job.urgency === one));
    if (urgency === undefined || this.running >= AT_ONCE[urgency]) return undefined;
    const at = this.waiting.findIndex((job) => job.urgency === urgency);
    return this.waiting.splice(at, 1)[0];
  }

  private leave(job: Waiting): void {
    const at = this.waiting.indexOf(job);
    if (at < 0) return;
    this.waiting.splice(at, 1);
    job.resolve(undefined);
  }
}

function withResolvers<T>() {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((done) => (resolve = done));
  return { promise, resolve };
}
