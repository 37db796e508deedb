import { execFile } from 'node:child_process';

/** Runs a script. @returns its exit status and what it printed */
const run = (script: string, ...args: string[]): Promise<{ code: unknown; out: string; err: string }> =>
  new Promise((done) =>
    execFile(process.execPath, [script, ...args], (error, out, err) => done({ code: error?.code ?? 0, out, err })),
  );

const VERIFY = 'test/acceptance/run.mjs';
const LISTS = /^With figures: tokens, .*\nBy name only: .*\bdocs\b.*$/m;

describe('scripts that are called in a wrong way end with a sentence:', () => {
  it.each<[string, string[], RegExp]>([
    [VERIFY, ['nothing'], /^There is no verification nothing\.\n/],
    [VERIFY, ['harness'], /^There is no verification harness\.\n/],
    [VERIFY, ['--only', 'kill,nothing'], /^There is no verification nothing\.\n/],
    [VERIFY, ['--nothing'], /^Unknown option '--nothing'/],
    [VERIFY, ['--only'], /^Option '--only <value>' argument missing\n$/],
    [VERIFY, ['tokens', '--nothing'], /^Unknown option '--nothing'/],
    [
      VERIFY,
      ['docs', 'client'],
      /^There is no page client\. A page is named by its path, such as docs\/client\.md\.\n$/,
    ],
    ['scripts/release.mjs', ['--nothing'], /^Unknown option '--nothing'/],
  ])('%s %j', async (script, args, sentence) => {
    const { code, out, err } = await run(script, ...args);
    expect([code, out, err]).toEqual([2, '', expect.stringMatching(sentence)]);
    expect(err).not.toMatch(/^\s+at /m);
    if (err.startsWith('There is no verification')) expect(err).toMatch(LISTS);
  });
});

it('verify --help lists the names, and with a name shows what that script does', async () => {
  const all = await run(VERIFY, '--help');
  expect(all).toMatchObject({ code: 0, out: expect.stringMatching(LISTS), err: '' });
  const one = await run(VERIFY, 'tokens', '--help');
  expect(one).toMatchObject({ code: 0, out: expect.stringContaining('npm run verify -- tokens'), err: '' });
});
