import { counted } from '../../platform/logging/index.js';
import { ProgressBar, type Terminal } from 'avatar-chat-command-line';

/** Number of bad lines that are listed; the others are only counted. */
const MAX_SHOWN = 50;

/** Progress of an import on standard error: bad lines and, on a terminal, a progress bar. */
export class ImportReport {
  bad = 0;
  private readonly bar: ProgressBar;

  constructor(
    private readonly terminal: Terminal,
    private readonly size: number,
  ) {
    this.bar = new ProgressBar(terminal);
  }

  badLine(number: number, faults: readonly string[]): void {
    if (++this.bad > MAX_SHOWN) return;
    this.bar.clear();
    this.terminal.say(`line ${number}: ${faults.join('; ')}`);
  }

  /** @param end bytes of the file that are processed */
  progress(label: string, lines: number, end: number): void {
    this.bar.show(label, this.size > 0 ? end / this.size : 0, counted(lines, 'line'));
  }

  finish(): void {
    this.bar.clear();
    if (this.bad > MAX_SHOWN) this.terminal.say(`and ${counted(this.bad - MAX_SHOWN, 'more bad line')}`);
  }
}
