interface Waiting {
  readonly owner: string;
  start(): void;
}

/**
 * Lets recordings be worked on: several at once, but one of each owner, otherwise in the order in which they came. Those
 * that wait take no memory.
 */
export class RecordingTurns {
  private readonly active = new Set<string>();
  private waiting: Waiting[] = [];

  /** @param limit how many at once */
  constructor(private readonly limit: number) {}

  /**
   * Runs some work in its turn.
   *
   * @returns undefined if the signal was aborted before
   */
  async run<T>(owner: string, signal: AbortSignal, work: () => Promise<T>): Promise<T | undefined> {
    if (!(await this.untilStarted(owner, signal))) return undefined;
    try {
      return await work();
    } finally {
      this.active.delete(owner);
      this.startNext();
    }
  }

  private async untilStarted(owner: string, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false;
    return new Promise((resolve) => {
      const abort = () => {
        this.waiting = this.waiting.filter((one) => one !== waiting);
        resolve(false);
      };
      const start = () => {
        signal.removeEventListener('abort', abort);
        resolve(true);
      };
      const waiting = { owner, start };
      signal.addEventListener('abort', abort, { once: true });
      this.waiting.push(waiting);
      this.startNext();
    });
  }

  private startNext(): void {
    while (this.active.size < this.limit) {
      const next = this.waiting.find(({ owner }) => !this.active.has(owner));
      if (!next) return;
      this.waiting = this.waiting.filter((one) => one !== next);
      this.active.add(next.owner);
      next.start();
    }
  }
}
