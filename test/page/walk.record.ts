import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

const DOCS = 'docs';
const { PATH = '', HOME = '' } = process.env;

/** A command that has been given, as a person would give it. */
export interface Given {
  /** Waits until it has printed this. */
  printed(pattern: RegExp): Promise<void>;
  ended: Promise<number | null>;
  /** Control-C, and what it leaves behind. */
  stop(): Promise<void>;
}

/**
 * What is done and seen on a walk: the commands with what they print, pictures and words. It becomes `docs/walk.md`, with
 * its pictures, where PICTURES is `on`; otherwise nothing is written.
 */
export class WalkRecord {
  private readonly parts: (string | { command: string; output: string })[] = [];
  private readonly writes = process.env.PICTURES === 'on';

  /** @param hides what is of this machine, and what is written for it */
  constructor(private readonly hides: [string, string][]) {}

  words(text: string): void {
    this.parts.push(text);
  }

  /** @param cwd where it is given */
  give(command: string, cwd: string, env: Record<string, string> = {}): Given {
    const part = { command, output: '' };
    this.parts.push(part);
    const child = spawn('sh', ['-c', command], {
      cwd,
      env: { PATH, HOME, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (part.output += piece));
    const ended = once(child, 'close').then(([code]) => code as number | null);
    return {
      ended,
      async printed(pattern) {
        while (!pattern.test(part.output)) {
          const over = await Promise.race([once(child.stdout, 'data').then(() => false), ended.then(() => true)]);
          if (over) throw new Error(`${command} ended without printing ${pattern}:\n${part.output}`);
        }
      },
      async stop() {
        if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, 'SIGINT');
        await ended;
      },
    };
  }

  /** Goes into a folder. */
  enter(name: string): void {
    this.parts.push({ command: `cd ${name}`, output: '' });
  }

  /** Gives a command and waits for its end. @returns what it printed */
  async run(command: string, cwd: string): Promise<string> {
    const code = await this.give(command, cwd).ended;
    const { output } = this.parts.at(-1) as { output: string };
    if (code !== 0) throw new Error(`${command} ended with ${code}:\n${output}`);
    return output;
  }

  async picture(page: Page, name: string, title?: string): Promise<void> {
    if (!this.writes) return;
    mkdirSync(join(DOCS, 'pictures'), { recursive: true });
    await page.screenshot({ path: join(DOCS, 'pictures', `${name}.jpg`), type: 'jpeg', quality: 82 });
    if (title) this.parts.push(`![${title}](pictures/${name}.jpg)`);
  }

  save(): void {
    if (this.writes) writeFileSync(join(DOCS, 'walk.md'), `${this.pieces().join('\n\n')}\n`);
  }

  /** Commands that follow each other are one terminal. */
  private pieces(): string[] {
    const pieces: string[] = [];
    let terminal: string[] = [];
    const close = () => {
      if (terminal.length > 0)
        pieces.push(`\`\`\`console not-run: npm run docs:walk did\n${terminal.join('\n')}\n\`\`\``);
      terminal = [];
    };
    for (const part of this.parts) {
      if (typeof part === 'string') {
        close();
        pieces.push(part);
      } else terminal.push(`$ ${this.shown(part.command)}`, ...this.linesOf(part.output));
    }
    close();
    return pieces;
  }

  /** Warnings of npm, and requests in the log but for the first one, of which there are many, are `…`. */
  private linesOf(output: string): string[] {
    let requests = 0;
    return this.shown(output)
      .split('\n')
      .map((line) => (/^npm (warn|notice)/.test(line) || (/"request_id"/.test(line) && requests++ > 0) ? '…' : line))
      .filter((line, n, all) => line !== '' && (line !== '…' || all[n - 1] !== '…'));
  }

  private shown(text: string): string {
    return this.hides.reduce((shown, [hidden, instead]) => shown.replaceAll(hidden, instead), text);
  }
}
