import { PassThrough, Readable } from 'node:stream';
import { run } from './cli.run.js';
import { Terminal } from 'avatar-chat-command-line';

/** Runs the command line: returns its exit status and standard error. */
async function cli(modules?: unknown, args = ['project', 'list']): Promise<[number, string]> {
  const [stdin, stdout, stderr] = [Readable.from(['']), new PassThrough(), new PassThrough()];
  const code = await run(args, new Terminal({ stdin, stdout, stderr }), modules as never);
  return [code, String(stderr.read())];
}

it('invalid modules are rejected in one sentence', async () => {
  expect(await cli(class RatingsModule {})).toEqual([
    1,
    'runCli() takes an array of modules, such as [RatingsModule].\n',
  ]);
});

it('a module is not written under a name that the service has, or that no module may have', async () => {
  expect(await cli([], ['module', 'new', 'chat'])).toEqual([1, "The service has a module or a route 'chat'.\n"]);
  const [code, said] = await cli([], ['module', 'new', '7up']);
  expect([code, said]).toEqual([2, expect.stringContaining("A module's name")]);
});
