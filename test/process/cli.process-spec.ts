import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { type Service, startService } from '../support/index.js';

/** One embedded store, which all the processes share. */
let dir: string;
let env: Record<string, string>;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'avatar-chat-cli-'));
  env = { DATA_DIR: dir, MONGODB_URI: `embedded:${join(dir, 'database')}`, JWT_SECRET: 'x'.repeat(32) };
});
afterAll(() => rm(dir, { recursive: true, force: true }));

/**
 * Runs a shell command, in which `cli` is the built command line, and `sent` reports if it fails at the start of a
 * pipe.
 */
async function shell(line: string, more: Record<string, string> = {}) {
  const functions = 'cli() { "$0" dist/programs/cli.js "$@"; }; sent() { cli "$@" || echo "status $?" >&2; }';
  const child = spawn('sh', ['-c', `${functions}; ${line}`, process.execPath], {
    env: { PATH: process.env.PATH, ...env, ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [[code], out, err] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]);
  return { code: code as number, out, err };
}

it('prints its help, even if the settings are invalid', async () => {
  const help = { code: 0, out: expect.stringContaining('messages import FILE'), err: '' };
  expect(await shell('cli --help', { PORT: 'x' })).toEqual(help);
});

it.each(['cli', 'cli frobnicate', 'cli token issue --project default'])(
  'responds to an invalid call with the usage text and status 2: %s',
  async (line) => {
    expect(await shell(line)).toEqual({ code: 2, out: '', err: expect.stringContaining('Usage:') });
  },
);

it('prints the entry of the catalogue for the pictures of an avatar', async () => {
  const output = join(dir, 'mira');
  const { code, out, err } = await shell(`cli avatar render assets/avatars/ada/portrait.svg --output ${output}`);
  expect(code).toBe(0);
  const entry = JSON.parse(out.slice(out.indexOf('{'))) as Record<string, string> & { previewIcons: object };
  const urls = [...Object.values(entry.previewIcons), entry['startButtonIcon'], entry['idleVideo']];
  const written = out.slice(0, out.indexOf('{')).trim().split('\n');
  expect(urls.map((url) => String(url).replace('/assets/avatars/', `${dir}/`)).sort()).toEqual(written.sort());
  expect(Object.keys(entry.previewIcons)).toEqual(['small', 'medium', 'large']);
  expect(err).toContain('assets/avatars');
});

it('works on standard input and output, and with readers that close early', async () => {
  // If two are the first on a database, one of them logs that it waits for the other's migrations.
  expect(await shell('cli project list')).toMatchObject({ code: 0, err: '' });
  expect(await shell('sent catalogue export | cli catalogue apply')).toMatchObject({ code: 0, err: '' });
  const message = {
    user_id: 'dan',
    direction: 'outgoing',
    request: 'x'.repeat(1000),
    avatar_id: 'ada',
    chat_type: 'text',
    language_code: 'en',
  };
  const file = join(dir, 'many.jsonl');
  await writeFile(
    file,
    Array.from({ length: 2000 }, (_, date) => `${JSON.stringify({ ...message, date })}\n`).join(''),
  );
  const imported = { code: 0, out: 'imported 2000, already there 0, bad 0\n', err: '' };
  expect(await shell(`cli messages import ${file}`)).toEqual(imported);
  const firstLine = `{ read -r line && printf '%s\\n' "$line"; }`;
  const early = await shell(`sent messages export --project default --user dan | ${firstLine}`);
  expect(early).toEqual({ code: 0, out: expect.stringMatching(/^\{.*"date":0.*\}\n$/), err: '' });
});

describe('beside a running service, on the embedded store', () => {
  let service: Service;
  beforeAll(async () => (service = await startService(env)));
  afterAll(async () => {
    service.process.kill('SIGTERM');
    await service.ended;
  });

  const statusFor = async (token: string) => {
    const headers = { authorization: `Bearer ${token.trim()}` };
    return (await fetch(`${service.url}/connection`, { headers })).status;
  };

  it('adds a project that the service knows at once, and removes one that it then drops', async () => {
    const { out: token } = await shell('cli project add beside >&2 && cli token issue --project beside --user eve');
    expect(await statusFor(token)).toBe(200);
    const erased = { code: 0, out: 'erased: messages 0, sessions 1\n', err: '' };
    expect(await shell('cli messages erase --project beside --user eve')).toEqual(erased);
    expect((await shell('cli project remove beside')).code).toBe(0);
    while ((await statusFor(token)) !== 401) await delay(50);
  });
});
