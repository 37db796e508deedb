import type { Terminal } from './cli.terminal.js';

/** Milliseconds between two looks of the bar. */
const INTERVAL = 100;
const WIDTH = 30;
const CLEAR_LINE = '\r\u001B[K';

/** A bar on standard error, if a person looks at it. */
export class ProgressBar {
  private drawn = 0;

  constructor(private readonly terminal: Terminal) {}

  /** @param share what is done, 0 to 1 */
  show(label: string, share: number, details: string): void {
    if (!this.terminal.isWatched || performance.now() - this.drawn < INTERVAL) return;
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
