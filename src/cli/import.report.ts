import type { Terminal } from './cli.terminal.js';

/** How many bad lines are named; the others are counted. */
const MAX_SHOWN = 50;
/** Milliseconds between two looks of the bar. */
const BAR_INTERVAL = 100;
const BAR_WIDTH = 30;
const CLEAR_LINE = '\r\u001B[K';

/** What a person sees of an import on standard error: bad lines and, on a terminal, a bar. */
export class ImportReport {
  bad = 0;
  private drawn = 0;

  constructor(
    private readonly terminal: Terminal,
    private readonly size: number,
  ) {}

  badLine(number: number, faults: readonly string[]): void {
    if (++this.bad > MAX_SHOWN) return;
    this.clear();
    this.terminal.say(`line ${number}: ${faults.join('; ')}`);
  }

  /** @param end bytes of the file that are done */
  progress(label: string, lines: number, end: number): void {
    if (!this.terminal.isWatched || performance.now() - this.drawn < BAR_INTERVAL) return;
    this.drawn = performance.now();
    const share = this.size > 0 ? Math.min(1, end / this.size) : 0;
    const bar = '#'.repeat(Math.round(share * BAR_WIDTH)).padEnd(BAR_WIDTH, '.');
    this.terminal.draw(`${CLEAR_LINE}${label} [${bar}] ${Math.floor(share * 100)} %, ${lines} lines`);
  }

  finish(): void {
    this.clear();
    if (this.bad > MAX_SHOWN) this.terminal.say(`and ${this.bad - MAX_SHOWN} more bad lines`);
  }

  private clear(): void {
    if (this.drawn > 0) this.terminal.draw(CLEAR_LINE);
    this.drawn = 0;
  }
}
