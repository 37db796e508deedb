import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Service, startService } from '../support/index.js';

jest.setTimeout(60_000);

interface Result {
  code: number | null;
  out: string;
  err: string;
}

/** A directory of its own for each suite, with an embedded store in it. */
let dir: string;
let env: Record<string, string>;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'avatar-chat-cli-'));
  env = { DATA_DIR: dir, MONGODB_URI: `embedded:${join(dir, 'database')}`, JWT_SECRET: 'x'.repeat(32) };
});
afterAll(() => rm(dir, { recursive: true, force: true }));

/** Runs the built command line, with nothing on its standard input unless there is a text for it. */
async function cli(args: string, input = '', more: Record<string, string> = {}): Promise<Result> {
  const child = spawn(process.execPath, ['dist/cli.js', ...args.split(' ')], {
    env: { PATH: process.env.PATH, ...env, ...more },
  });
  const result: Result = { code: null, out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => (result.out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (result.err += chunk.toString()));
  child.stdin.on('error', () => undefined).end(input);
  [result.code] = (await once(child, 'close')) as [number | null];
  return result;
}

async function aFile(name: string, lines: readonly unknown[]): Promise<string> {
  const file = join(dir, name);
  await writeFile(file, lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'));
  return file;
}

const outgoing = {
  user_id: 'ann',
  direction: 'outgoing',
  request: 'How far is the moon? 🌒',
  avatar_id: 'ada',
  date: 1_700_000_000_000,
  chat_type: 'text',
  language_code: 'en',
};
const incoming = {
  ...outgoing,
  direction: 'incoming',
  answer: 'About 384,400 km.',
  avatar_name: 'Ada',
  date: 1_700_000_000_001,
};

describe('projects', () => {
  it('are added, listed, shown and removed', async () => {
    expect(await cli('project list')).toEqual({ code: 0, out: 'default\n', err: '' });
    expect(await cli('project add shop')).toEqual({ code: 0, out: 'added shop\n', err: '' });
    expect(await cli('project list')).toEqual({ code: 0, out: 'default\nshop\n', err: '' });
    const shown = await cli('project show shop');
    const template = JSON.parse((await cli('project show default')).out);
    expect(JSON.parse(shown.out)).toEqual({
      ...template,
      project_id: 'shop',
      key: expect.stringMatching(/^[\w-]{43}$/),
    });
    expect(JSON.parse(shown.out).key).not.toBe(template.key);
    expect(await cli('project remove shop')).toMatchObject({ code: 0, out: 'removed shop\n' });
    expect(await cli('project list')).toEqual({ code: 0, out: 'default\n', err: '' });
  });

  it.each([
    ['project add default', /already/],
    ['project show nowhere', /no project 'nowhere'/],
    ['project remove nowhere', /no project 'nowhere'/],
    ['project remove default', /cannot be removed/],
    ['token issue --project nowhere --user ann', /no project 'nowhere'/],
    ['messages export --project nowhere --user ann', /no project 'nowhere'/],
    ['messages erase --project nowhere --user ann', /no project 'nowhere'/],
    ['messages import /nowhere.jsonl', /ENOENT/],
    ['messages import /', /file/],
    ['catalogue apply /nowhere.json', /ENOENT/],
    ['catalogue export /nowhere/a.json', /ENOENT/],
  ])('refuses with status 1: %s', async (call, reason) => {
    expect(await cli(call)).toEqual({ code: 1, out: '', err: expect.stringMatching(reason) });
  });
});

describe('calls', () => {
  it.each(['project', 'project show a_b', 'messages erase --project default', 'frobnicate', 'project list --force'])(
    'answers a wrong one with the usage text and status 2: %s',
    async (call) => {
      expect(await cli(call)).toEqual({ code: 2, out: '', err: expect.stringContaining('Usage:') });
    },
  );

  it('explains itself, even where the settings are bad', async () => {
    expect(await cli('--help', '', { PORT: 'x' })).toEqual({
      code: 0,
      out: expect.stringContaining('messages import FILE'),
      err: '',
    });
  });

  it('says which settings are bad', async () => {
    expect(await cli('project list', '', { PORT: 'x' })).toEqual({
      code: 1,
      out: '',
      err: expect.stringMatching(/PORT must/),
    });
  });

  it('gives up on a database that is away', async () => {
    const result = await cli('project list', '', { MONGODB_URI: 'mongodb://127.0.0.1:9/none' });
    expect(result).toEqual({ code: 1, out: '', err: expect.stringMatching(/database/) });
  });
});

describe('the catalogue', () => {
  it('goes out as it comes in, by file, standard output and standard input', async () => {
    const { out } = await cli('catalogue export');
    expect(Object.keys(JSON.parse(out))).toEqual(['avatars', 'languages', 'projects']);
    expect(out).not.toContain('"key"');
    const file = join(dir, 'catalogue.json');
    expect(await cli(`catalogue export ${file}`)).toEqual({ code: 0, out: '', err: '' });
    expect(await readFile(file, 'utf8')).toBe(out);
    expect((await readdir(dir)).filter((name) => name.startsWith('catalogue.json'))).toEqual(['catalogue.json']);
    const applied = {
      code: 0,
      out: expect.stringMatching(/^applied: avatars \d+, languages \d+, projects 1\n$/),
      err: '',
    };
    expect(await cli(`catalogue apply ${file}`)).toEqual(applied);
    expect(await cli('catalogue apply', out)).toEqual(applied);
    expect(await cli('catalogue apply -', out)).toEqual(applied);
    expect((await cli('catalogue export')).out).toBe(out);
  });

  it('is left as it is by a file with faults, of which each is named', async () => {
    const before = await cli('catalogue export');
    const file = {
      languages: [{ name: 'X', language_code: 'xx', icon_url: '/assets/x.svg' }],
      projects: [{ project_id: 'p', avatars: ['no'], languages: ['yy'] }],
    };
    const { code, out, err } = await cli('catalogue apply', JSON.stringify(file));
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(/projects\[0\]\.avatars\[0\]/);
    expect(err).toMatch(/projects\[0\]\.languages\[0\]/);
    expect(await cli('catalogue export')).toEqual(before);
  });

  it.each([
    ['nothing', ''],
    ['no JSON', '{'],
    ['a list', '[]'],
  ])('does not take %s', async (_, input) => {
    expect(await cli('catalogue apply', input)).toMatchObject({ code: 1, out: '' });
  });
});

describe('messages', () => {
  it('are imported once, exported and erased', async () => {
    const file = await aFile('good.jsonl', [outgoing, '', incoming, { ...outgoing, user_id: 'bob', _id: 'mine' }]);
    expect(await cli(`messages import ${file}`)).toEqual({
      code: 0,
      out: 'imported 3, already there 0, bad 0\n',
      err: '',
    });
    expect(await cli(`messages import ${file}`)).toEqual({
      code: 0,
      out: 'imported 0, already there 3, bad 0\n',
      err: '',
    });
    const exported = await cli('messages export --project default --user ann');
    const lines = exported.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const _id = expect.stringMatching(/^[0-9a-f]{24}$/);
    expect(lines).toEqual([
      { ...outgoing, _id, project_id: 'default' },
      { ...incoming, _id, project_id: 'default' },
    ]);
    expect(await cli('messages erase --project default --user ann')).toEqual({
      code: 0,
      out: 'erased: messages 2, sessions 0\n',
      err: '',
    });
    expect(await cli('messages export --project default --user ann')).toEqual({ code: 0, out: '', err: '' });
    await writeFile(file, exported.out);
    expect(await cli(`messages import ${file}`)).toMatchObject({
      code: 0,
      out: 'imported 2, already there 0, bad 0\n',
    });
    expect(await cli('messages export --project default --user ann')).toEqual(exported);
    expect(JSON.parse((await cli('messages export --project default --user bob')).out)._id).toBe('mine');
  });

  it('are not imported at all where one line is bad, unless bad ones are skipped', async () => {
    const file = await aFile('bad.jsonl', [
      { ...outgoing, user_id: 'cat' },
      { ...outgoing, user_id: 'cat', request: ['SECRET'] },
      '{"request":"SECRET',
      { ...outgoing, user_id: 'cat', _id: 'twice' },
      { ...outgoing, user_id: 'cat', _id: 'twice' },
      { ...outgoing, user_id: 'cat', _id: 'twice', request: 'SECRET' },
      { ...outgoing, user_id: 'cat', _id: 'mine', request: 'SECRET' },
      { ...outgoing, user_id: 'cat', project_id: 'SECRET' },
    ]);
    const reasons = [
      /^line 2: request must be/m,
      /^line 3: is not valid JSON$/m,
      /^line 6: _id is that of an earlier, different message$/m,
      /^line 7: _id is that of an earlier, different message$/m,
      /^line 8: project_id names no project$/m,
    ];
    const refused = await cli(`messages import ${file}`);
    expect(refused).toMatchObject({ code: 1, out: 'imported 0, already there 0, bad 5\n' });
    expect((await cli('messages export --project default --user cat')).out).toBe('');
    const skipped = await cli(`messages import ${file} --skip-bad`);
    expect(skipped).toMatchObject({ code: 0, out: 'imported 2, already there 1, bad 5\n' });
    for (const { err } of [refused, skipped]) {
      for (const reason of reasons) expect(err).toMatch(reason);
      expect(err).not.toContain('SECRET');
    }
    expect((await cli('messages export --project default --user cat')).out.trim().split('\n')).toHaveLength(2);
  });

  it('that are bad are named up to fifty, and counted beyond', async () => {
    const file = await aFile(
      'worse.jsonl',
      Array.from({ length: 1500 }, () => ({})),
    );
    const { code, out, err } = await cli(`messages import ${file}`);
    expect({ code, out }).toEqual({ code: 1, out: 'imported 0, already there 0, bad 1500\n' });
    expect(err.match(/^line \d+: /gm)).toHaveLength(50);
    expect(err).toContain('and 1450 more bad lines');
  });

  it('clash across a file of many batches', async () => {
    const many = Array.from({ length: 3000 }, (_, index) => ({
      ...outgoing,
      user_id: 'dan',
      _id: `dan-${index}`,
      date: index,
    }));
    const file = await aFile('long.jsonl', [...many, { ...many[0], date: 9 }]);
    expect(await cli(`messages import ${file}`)).toMatchObject({
      code: 1,
      err: expect.stringContaining('line 3001: _id'),
    });
    expect(await cli(`messages import ${file} --skip-bad`)).toMatchObject({
      out: 'imported 3000, already there 0, bad 1\n',
    });
    expect((await cli('messages export --project default --user dan')).out.trim().split('\n')).toHaveLength(3000);
  });

  it('may be read by someone who leaves early', async () => {
    const shell = spawn(
      'bash',
      [
        '-o',
        'pipefail',
        '-c',
        `"$0" dist/cli.js messages export --project default --user dan | head -n 1`,
        process.execPath,
      ],
      {
        env: { PATH: process.env.PATH, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    const result = { out: '', err: '' };
    shell.stdout.on('data', (chunk: Buffer) => (result.out += chunk.toString()));
    shell.stderr.on('data', (chunk: Buffer) => (result.err += chunk.toString()));
    const [code] = await once(shell, 'close');
    expect(result.err).toBe('');
    expect(code).toBe(0);
    expect(result.out).toMatch(/^\{.*\}\n$/);
  });
});

describe('beside a running service', () => {
  let service: Service;
  beforeAll(async () => (service = await startService(env)));
  afterAll(async () => {
    service.process.kill('SIGTERM');
    await service.ended;
  });

  const get = async (path: string, token: string) => {
    const response = await fetch(service.url + path, { headers: { authorization: `Bearer ${token}` } });
    return { status: response.status, body: (await response.json()) as any };
  };

  it('its tokens open the doors, and what it imports, erases and adds is seen', async () => {
    const token = await cli('token issue --project default --user eve');
    expect(token).toEqual({ code: 0, out: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+\n$/), err: '' });
    const eve = token.out.trim();
    expect((await get('/connection', eve)).status).toBe(200);
    expect((await get('/chat?user_id=eve', eve)).body.payload).toEqual([]);
    const message = { ...incoming, user_id: 'eve', _id: 'eve-1', fileUrl: 'https://a.example/b.mp3' };
    expect((await cli(`messages import ${await aFile('eve.jsonl', [message])}`)).code).toBe(0);
    expect((await get('/chat?user_id=eve', eve)).body.payload).toEqual([message]);
    expect(await cli('messages erase --project default --user eve')).toMatchObject({
      out: 'erased: messages 1, sessions 1\n',
    });
    expect((await get('/chat?user_id=eve', eve)).body.payload).toEqual([]);

    await cli('project add beside');
    const guest = (await cli('token issue --project beside --user eve')).out.trim();
    expect((await get('/connection', guest)).status).toBe(200);
    await cli('project remove beside');
    for (let tries = 0; (await get('/connection', guest)).status !== 401; tries++) {
      if (tries === 40) throw new Error('The service still knows the project');
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  });
});
