import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

const { PATH = '', HOME = '' } = process.env;

/** A running command, as a person would have typed it. */
export interface Given {
  /** Waits until it has printed this. */
  printed(pattern: RegExp): Promise<void>;
  /** Its exit status. */
  ended: Promise<number | null>;
  output(): string;
  /** Presses Control-C. @returns what is left of it */
  stop(): Promise<void>;
}

export function give(command: string, cwd: string, env: Record<string, string> = {}): Given {
  let output = '';
  const child = spawn('sh', ['-c', command], {
    cwd,
    env: { PATH, HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (output += piece));
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return {
    ended,
    output: () => output,
    async printed(pattern) {
      while (!pattern.test(output)) {
        const over = await Promise.race([once(child.stdout, 'data').then(() => false), ended.then(() => true)]);
        if (over) throw new Error(`${command} ended without printing ${pattern}:\n${output}`);
      }
    },
    async stop() {
      if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, 'SIGINT');
      await ended;
    },
  };
}

/** Runs a command to its end. @returns its output */
export async function run(command: string, cwd: string): Promise<string> {
  const given = give(command, cwd);
  const code = await given.ended;
  if (code !== 0) throw new Error(`${command} ended with ${code}:\n${given.output()}`);
  return given.output();
}

/** A picture for the documentation, if PICTURES is `on`; otherwise nothing is written. */
export async function picture(page: Page, name: string): Promise<void> {
  if (process.env.PICTURES !== 'on') return;
  await page.screenshot({ path: join('docs/pictures', `${name}.jpg`), type: 'jpeg', quality: 82 });
}
