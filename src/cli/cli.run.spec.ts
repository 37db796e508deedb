import { PassThrough, Readable } from 'node:stream';
import { run } from './cli.run.js';
import { Terminal } from 'avatar-chat-command-line';

/** Runs the command line: returns its exit status and standard error. */
async function cli(modules?: unknown): Promise<[number, string]> {
  const [stdin, stdout, stderr] = [Readable.from(['']), new PassThrough(), new PassThrough()];
  const code = await run(['project', 'list'], new Terminal({ stdin, stdout, stderr }), modules as never);
  return [code, String(stderr.read())];
}

it('invalid modules are rejected in one sentence', async () => {
  expect(await cli(class RatingsModule {})).toEqual([
    1,
    'runCli() takes an array of modules, such as [RatingsModule].\n',
  ]);
});
