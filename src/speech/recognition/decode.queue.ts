/** Who waits for words, the most urgent first. */
export type Urgency = 'final' | 'guess' | 'recording';

const ORDER: readonly Urgency[] = ['final', 'guess', 'recording'];
/** Utterances that may wait; the words of the next one stay unknown. */
const WAITING_LIMIT = 32;
/** Of the time, what words may take that are only shown while somebody speaks: one part of so many. */
const PARTIAL_SHARE = 6;

/** Words that somebody waits for. */
export interface Words {
  /** Undefined if they were cancelled, or too much waits. */
  readonly text: Promise<string | undefined>;
  /** They end a turn. */
  hurry(): void;
  /** Leaves the queue; what is in progress goes on. */
  cancel(): void;
}

interface Waiting extends Words {
  readonly samples: Float32Array;
  urgency: Urgency;
  resolve(text: string | undefined): void;
}

/** What is decoded at once: two of what ends turns, for several may end together; otherwise one, for memory and processors. */
const AT_ONCE: Readonly<Record<Urgency, number>> = { final: 2, guess: 1, recording: 1 };

/** Decodes the sound of several speakers and recordings, the most urgent first. */
export class DecodeQueue {
  private waiting: Waiting[] = [];
  private running = 0;
  /** When the next words may be decoded that are only shown. */
  private restUntil = 0;

  constructor(
    private readonly decode: (samples: Float32Array) => Promise<string>,
    private readonly now: () => number = () => performance.now(),
  ) {}

  add(samples: Float32Array, urgency: Urgency): Words {
    const { promise: text, resolve } = withResolvers<string | undefined>();
    const hurry = () => {
      words.urgency = 'final';
      void this.run();
    };
    const words: Waiting = { samples, text, urgency, resolve, hurry, cancel: () => this.leave(words) };
    if (urgency !== 'recording' && this.waiting.length >= WAITING_LIMIT) resolve(undefined);
    else this.waiting.push(words);
    void this.run();
    return words;
  }

  /**
   * Whether words may be decoded that are only shown: not if anything waits or is in progress, nor if such words have taken
   * their share of the time.
   *
   * @param isShort they cost little, and somebody may wait for them
   */
  isFree(isShort: boolean): boolean {
    return this.running === 0 && (isShort || this.now() >= this.restUntil);
  }

  /** Words that are only shown. */
  async partial(samples: Float32Array): Promise<string | undefined> {
    const began = this.now();
    const text = await this.add(samples, 'guess').text;
    const now = this.now();
    this.restUntil = now + (PARTIAL_SHARE - 1) * (now - began);
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
    const urgency = ORDER.find((one) => this.waiting.some((words) => words.urgency === one));
    if (urgency === undefined || this.running >= AT_ONCE[urgency]) return undefined;
    const at = this.waiting.findIndex((words) => words.urgency === urgency);
    return this.waiting.splice(at, 1)[0];
  }

  private leave(words: Waiting): void {
    const at = this.waiting.indexOf(words);
    if (at < 0) return;
    this.waiting.splice(at, 1);
    words.resolve(undefined);
  }
}

function withResolvers<T>() {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((done) => (resolve = done));
  return { promise, resolve };
}
