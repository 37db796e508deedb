import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { run } from './cli.run.js';
import { Terminal } from './cli.terminal.js';

/** A call of the command line: its exit status, and what it says on standard error. */
async function cli(modules?: unknown): Promise<[number, string]> {
  const [stdin, stdout, stderr] = [Readable.from(['']), new PassThrough(), new PassThrough()];
  const code = await run(['project', 'list'], new Terminal({ stdin, stdout, stderr }), modules as never);
  return [code, String(stderr.read())];
}

it('modules that are none are refused in one sentence', async () => {
  expect(await cli(class RatingsModule {})).toEqual([
    1,
    'runCli() takes an array of modules, such as [RatingsModule].\n',
  ]);
});

it('a program with another copy of Nest is refused in two lines that name it', async () => {
  const [node, program] = process.argv as [string, string];
  const directory = mkdtempSync(join(tmpdir(), 'copies-'));
  try {
    mkdirSync(join(directory, 'node_modules/@nestjs/core'), { recursive: true });
    const main = join(directory, 'main.js');
    writeFileSync(main, '');
    process.argv = [node, main];
    expect(await cli()).toEqual([1, expect.stringMatching(/^There are two copies of @nestjs\/core: .*\n.*\n$/)]);
  } finally {
    process.argv = [node, program, ...process.argv.slice(2)];
    rmSync(directory, { recursive: true });
  }
});
