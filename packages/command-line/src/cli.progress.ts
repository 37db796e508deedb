import type { Terminal } from './cli.terminal.js';

/** Minimum interval between updates of the bar, in milliseconds. */
const INTERVAL_MS = 100;
const WIDTH = 30;
const CLEAR_LINE = '\r\u001B[K';

/** A progress bar on standard error, if it is a terminal. */
export class ProgressBar {
  private drawn = 0;

  constructor(private readonly terminal: Terminal) {}

  /** @param share completed part, 0 to 1 */
  show(label: string, share: number, details: string): void {
    if (!this.terminal.isWatched || performance.now() - this.drawn < INTERVAL_MS) return;
    this.drawn = performance.now();
    const done = Math.min(1, share);
    const bar = '#'.repeat(Math.round(done * WIDTH)).padEnd(WIDTH, '.');
    this.terminal.draw(`${CLEAR_LINE}${label} [${bar}] ${Math.floor(done * 100)} %, ${details}`);
  }

  clear(): void {
    if (this.drawn > 0) this.terminal.draw(CLEAR_LINE);
    this.drawn = 0;
  }
}
