/** Calls back once somebody has spoken for some time, pauses not counted. */
export class SpeechTimer {
  private timer?: NodeJS.Timeout | undefined;
  private isPaused = false;
  private left = 0;
  private since = 0;

  /** @param limit milliseconds of speech */
  constructor(
    private readonly limit: number,
    private readonly onLimit: () => void,
  ) {}

  start(): void {
    this.left = this.limit;
    this.run();
  }

  pause(): void {
    if (!this.timer) return;
    this.clear();
    this.left -= performance.now() - this.since;
    this.isPaused = true;
  }

  /** Goes on after {@link pause}. */
  resume(): void {
    if (this.isPaused) this.run();
  }

  clear(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.isPaused = false;
  }

  private run(): void {
    this.clear();
    this.since = performance.now();
    this.timer = setTimeout(() => {
      this.clear();
      this.onLimit();
    }, this.left);
  }
}
