import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Module } from '@nestjs/common';
import { getConnectionToken, MongooseModule } from '@nestjs/mongoose';
import { type Connection, Schema } from 'mongoose';
import {
  AdminService,
  CatalogueService,
  Database,
  EventsModule,
  EventsService,
  OnEvent,
  type ServiceEvent,
} from '../../src/index.js';
import { cli, setCliVariables } from '../support/cli.js';
import { anyServer, createTestApp, type TestApp } from '../support/index.js';

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

// The services behind the commands are tested on each database.
describe.each([anyServer()])('on $name', (server) => {
  let dir: string;
  let test: TestApp;
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'avatar-chat-cli-'));
    test = await createTestApp({ server });
    setCliVariables(test, dir);
  });
  afterAll(async () => {
    await test.close();
    await rm(dir, { recursive: true, force: true });
  });

  /** Runs a command with a variable set differently. */
  async function cliWith(name: string, value: string, args: string): ReturnType<typeof cli> {
    const before = process.env[name] ?? '';
    process.env[name] = value;
    try {
      return await cli(args);
    } finally {
      process.env[name] = before;
    }
  }

  async function aFile(name: string, lines: readonly unknown[]): Promise<string> {
    const file = join(dir, name);
    await writeFile(file, lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'));
    return file;
  }

  const messages = () => test.app.get<Connection>(getConnectionToken()).collection('messages');

  describe('projects', () => {
    it('are added, listed, shown and removed', async () => {
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

    it('do not get the histories of a removed project of the same name', async () => {
      await test.app.get(AdminService).addProject('bakery');
      const lines = [outgoing, { ...outgoing, user_id: 'bob', request: 'Bread?' }];
      const file = await aFile(
        'bakery.jsonl',
        lines.map((line) => ({ ...line, project_id: 'bakery' })),
      );
      expect((await cli(`messages import ${file}`)).code).toBe(0);
      expect(await cli('project remove bakery')).toEqual({
        code: 0,
        out: 'removed bakery\n',
        err: expect.stringMatching(/^Messages left: 2\. .*project remove bakery --erase/),
      });
      const refused = await cli('project add bakery');
      expect(refused).toEqual({
        code: 1,
        out: '',
        err: 'Messages of a removed project of this name remain. Erase them first, with: project remove bakery --erase.\n',
      });
      const projects = [{ project_id: 'bakery', avatars: [], languages: [] }];
      expect(await cli('catalogue apply', JSON.stringify({ projects }))).toEqual({
        code: 1,
        out: '',
        err: expect.stringMatching(/projects\[0\]\.project_id: names a removed project whose messages remain/),
      });
      expect(await cli('project add bakery --keep-messages')).toMatchObject({ code: 0, out: 'added bakery\n' });
      expect((await cli('messages export --project bakery --user bob')).out).toContain('Bread?');
      expect((await cli('project remove bakery')).code).toBe(0);
      const erased = { code: 0, out: 'removed bakery\nerased: messages 2\n', err: '' };
      expect(await cli('project remove bakery --erase')).toEqual(erased);
      expect(await cli('project remove bakery --erase')).toMatchObject({
        code: 1,
        err: expect.stringMatching(/no project/),
      });
      expect((await cli('project add bakery')).code).toBe(0);
      expect((await cli('messages export --project bakery --user bob')).out).toBe('');
      expect((await cli('project remove bakery --erase')).out).toBe('removed bakery\nerased: messages 0\n');
    });

    it.each([
      ['project add default', /already/],
      ['project show nowhere', /no project 'nowhere'/],
      ['project remove nowhere', /no project 'nowhere'/],
      ['project remove default', /cannot be removed/],
      ['token issue --project nowhere --user ann', /no project 'nowhere'/],
      ['messages erase --project nowhere --user ann', /no project 'nowhere'/],
      ['messages import /', /file/],
      ['catalogue apply /nowhere.json', /ENOENT/],
      ['catalogue export /nowhere/a.json', /ENOENT/],
      ['project show a_b', /A project is/, 2],
      ['token issue --project default --user a.b', /A user is/, 2],
    ])('are not guessed: %s', async (call, reason, code = 1) => {
      expect(await cli(call)).toEqual({ code, out: '', err: expect.stringMatching(reason) });
    });
  });

  describe('the catalogue', () => {
    it('is imported as it was exported, by file, standard output and standard input', async () => {
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
      expect(await test.app.get(CatalogueService).export()).toBe(out);
    });

    it('warns of assets that do not exist, and applies it anyway', async () => {
      const catalogue = JSON.parse((await cli('catalogue export')).out) as { avatars: { idleVideo: string }[] };
      catalogue.avatars[0]!.idleVideo = '/assets/avatars/ada/no-such.mp4?v=2';
      catalogue.avatars[1]!.idleVideo = '/assets/../package.json';
      const answer = await cli('catalogue apply', JSON.stringify(catalogue));
      expect(answer.code).toBe(0);
      expect(answer.err).toBe(
        'warning: No file under assets/ for: /assets/avatars/ada/no-such.mp4?v=2, /assets/../package.json\n',
      );
      expect((await cli(`catalogue apply ${join(process.cwd(), 'catalogue/default.json')}`)).err).toBe('');
    });

    it('does not repeat the warning of open projects in production', async () => {
      process.env.PUBLIC_URL = 'https://chat.test';
      const answer = await cliWith('NODE_ENV', 'production', 'project list');
      delete process.env.PUBLIC_URL;
      expect(answer).toMatchObject({ code: 0, err: '' });
    });

    it('names the events of modules, if they are declared', async () => {
      @Injectable()
      class Booking {
        constructor(events: EventsService) {
          events.declare('appointments.booked', 'appointments.cancelled');
        }
      }
      @Module({ imports: [EventsModule], providers: [Booking] })
      class BookingModule {}
      const apply = (...events: string[]) => {
        const webhooks = [{ name: 'crm', url: 'https://crm.example/in', events }];
        const project = { project_id: 'booking', avatars: ['ada'], languages: ['en'], webhooks };
        return cli('catalogue apply', JSON.stringify({ projects: [project] }), [BookingModule]);
      };
      expect(await apply('message.created', 'appointments.typo', 'ratings.given')).toMatchObject({
        code: 1,
        err: expect.stringContaining(
          'projects[0].webhooks[0].events[1]: must be one of appointments.booked, appointments.cancelled',
        ),
      });
      expect(await apply('message.created', 'appointments.booked', 'ratings.given')).toMatchObject({ code: 0 });
      expect((await cli('project remove booking')).code).toBe(0);
    });

    it('is unchanged by a file with faults, each of which is named', async () => {
      const catalogue = test.app.get(CatalogueService);
      const before = await catalogue.export();
      const file = {
        languages: [{ name: 'X', language_code: 'xx', icon_url: '/assets/x.svg' }],
        projects: [{ project_id: 'p', avatars: ['no'], languages: ['yy'] }],
      };
      const { code, out, err } = await cli('catalogue apply', JSON.stringify(file));
      expect({ code, out }).toEqual({ code: 1, out: '' });
      expect(err).toMatch(/projects\[0\]\.avatars\[0\]/);
      expect(err).toMatch(/projects\[0\]\.languages\[0\]/);
      expect(await catalogue.export()).toBe(before);
    });
  });

  describe('webhooks', () => {
    const hook = { name: 'crm', url: 'http://127.0.0.1:9/hook?token=hidden' };
    const catalogue = (...webhooks: object[]) =>
      JSON.stringify({ projects: [{ project_id: 'told', avatars: ['ada'], languages: ['en'], webhooks }] });

    it('have a secret that is only shown with their project', async () => {
      await cli('catalogue apply', catalogue(hook, { ...hook, name: 'erp', secret_env: 'ERP_SECRET' }));
      const shown = JSON.parse((await cli('project show told')).out);
      expect(shown.webhooks).toEqual([
        { ...hook, secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/) },
        { ...hook, name: 'erp', secret_env: 'ERP_SECRET' },
      ]);
      const exported = await cli('catalogue export');
      expect(exported.out).toContain('"name": "crm"');
      expect(exported.out).not.toContain('whsec_');
      expect((await cli('project add untold')).code).toBe(0);
      expect(JSON.parse((await cli('project show untold')).out)).not.toHaveProperty('webhooks');
      await cli('catalogue apply', catalogue());
      await cli(
        'catalogue apply',
        JSON.stringify({ projects: [{ ...JSON.parse(catalogue()).projects[0], webhooks: undefined }] }),
      );
      expect(JSON.parse((await cli('project show told')).out)).not.toHaveProperty('webhooks');
    });

    it.each([
      [{ url: 'https://user:word@example.org/' }, /webhooks\[0\]\.url: must be a URL without user/],
      [{ url: 'https://[/' }, /webhooks\[0\]\.url: must be a URL/],
      [{ secret_env: 'JWT_SECRET' }, /webhooks\[0\]\.secret_env: must be the name of an environment variable/],
    ])('are refused with their path: %j', async (changes, reason) => {
      expect(await cli('catalogue apply', catalogue({ ...hook, ...changes }))).toEqual({
        code: 1,
        out: '',
        err: expect.stringMatching(reason),
      });
    });

    it('are logged, newest first, and retried', async () => {
      // Its outbox is only filled here: the command line delivers nothing, and the service has not loaded this project
      // yet.
      await cli('catalogue apply', catalogue({ ...hook, events: ['user.erased'] }));
      for (const user of ['fay', 'gus']) await cli(`messages erase --project told --user ${user}`);
      const { out } = await cli('webhooks log --project told');
      const lines = out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      expect(lines.map(({ user_id, type, webhook }) => [user_id, type, webhook])).toEqual([
        ['gus', 'user.erased', 'crm'],
        ['fay', 'user.erased', 'crm'],
      ]);
      expect(out).not.toContain('hidden');
      expect(await cli(`webhooks retry ${lines[0].id}`)).toEqual({ code: 0, out: 'to be tried again: 1\n', err: '' });
      expect(await cli('webhooks retry --project told')).toEqual({ code: 0, out: 'to be tried again: 0\n', err: '' });
      expect(await cli('webhooks retry evt_0.crm')).toMatchObject({ code: 1, err: 'There is no such delivery.\n' });
      expect((await cli('webhooks log --project default')).out).toBe('');
      expect((await cli('webhooks log')).out).toContain(lines[1].id);
      for (const command of ['log', 'retry'])
        expect(await cli(`webhooks ${command} --project nowhere`)).toEqual({
          code: 1,
          out: '',
          err: "There is no project 'nowhere'.\n",
        });
      for (const project_id of ['told', 'untold']) await test.app.get(AdminService).removeProject(project_id);
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

    it('are not imported at all if one line is bad, unless bad ones are skipped', async () => {
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
      const stored = () => messages().countDocuments({ project_id: 'default', user_id: 'cat' });
      expect(await stored()).toBe(0);
      const skipped = await cli(`messages import ${file} --skip-bad`);
      expect(skipped).toMatchObject({ code: 0, out: 'imported 2, already there 1, bad 5\n' });
      for (const { err } of [refused, skipped]) {
        for (const reason of reasons) expect(err).toMatch(reason);
        expect(err).not.toContain('SECRET');
      }
      expect(await stored()).toBe(2);
    });

    it('bring memories: none under the identifier of another one, and the newest that a user may have', async () => {
      const id = (n: number) => n.toString(16).padStart(24, '0');
      const memory = (n: number, more: object = {}) => ({
        memory: { memory_id: id(n), project_id: 'default', user_id: 'eve', text: `SECRET ${n}`, created: n, ...more },
      });
      const lines = Array.from({ length: 99 }, (_, n) => memory(n + 1));
      const good = await aFile('memories.jsonl', lines);
      expect((await cli(`messages import ${good}`)).out).toBe('imported 99, already there 0, bad 0\n');
      const more = [lines[5], lines[5], memory(100), memory(100)];
      const others = [memory(7, { user_id: 'fay' }), memory(8, { text: 'SECRET' }), memory(101, { user_id: 'fay' })];
      const file = await aFile('more.jsonl', [...more, ...others, memory(101)]);
      const refused = await cli(`messages import ${file}`);
      expect(refused).toMatchObject({ code: 1, out: 'imported 0, already there 0, bad 3\n' });
      const skipped = await cli(`messages import ${file} --skip-bad`);
      expect(skipped).toMatchObject({ code: 0, out: 'imported 2, already there 3, bad 3\n' });
      for (const { err } of [refused, skipped]) {
        const other = (line: number) => `line ${line}: memory.memory_id is that of an earlier, different memory\n`;
        for (const line of [5, 6, 8]) expect(err).toContain(other(line));
        expect(err).not.toContain('SECRET');
      }
      const newer = Array.from({ length: 101 }, (_, n) => memory(n));
      const whole = await cli(`messages import ${await aFile('whole.jsonl', [...newer, memory(102)])}`);
      expect(whole).toMatchObject({
        code: 0,
        out: 'imported 1, already there 100, bad 0, older than 100 others 1\n',
      });
      const exported = (await cli('messages export --project default --user eve')).out.trim().split('\n');
      expect(exported.map((line) => JSON.parse(line))).toEqual([...newer.slice(2), memory(102)]);
    });

    it('that are bad are listed up to fifty, and counted beyond that', async () => {
      const file = await aFile(
        'worse.jsonl',
        Array.from({ length: 1500 }, () => ({})),
      );
      const { code, out, err } = await cli(`messages import ${file}`);
      expect({ code, out }).toEqual({ code: 1, out: 'imported 0, already there 0, bad 1500\n' });
      expect(err.match(/^line \d+: /gm)).toHaveLength(50);
      expect(err).toContain('and 1450 more bad lines');
    });

    it('conflict across a file of many batches', async () => {
      const many = Array.from({ length: 1500 }, (_, index) => ({
        ...outgoing,
        user_id: 'dan',
        _id: `dan-${index}`,
        date: index,
      }));
      const file = await aFile('long.jsonl', [...many, { ...many[0], date: 9 }]);
      expect(await cli(`messages import ${file}`)).toMatchObject({
        code: 1,
        err: expect.stringContaining('line 1501: _id'),
      });
      expect(await cli(`messages import ${file} --skip-bad`)).toMatchObject({
        out: 'imported 1500, already there 0, bad 1\n',
      });
      expect((await cli('messages export --project default --user dan')).out.trim().split('\n')).toHaveLength(1500);
    });
  });

  it("waits for modules' listeners when a user is erased", async () => {
    const gone: string[] = [];
    @Injectable()
    class Slow {
      constructor(private readonly database: Database) {}
      @OnEvent('user.erased')
      async forget({ data }: ServiceEvent<'user.erased'>): Promise<void> {
        await delay(200);
        await this.database.ping();
        gone.push(data.user_id);
      }
    }
    @Module({ providers: [Slow] })
    class SlowModule {}
    const erased = await cli('messages erase --project default --user slow', '', [SlowModule]);
    expect(erased).toEqual({ code: 0, out: 'erased: messages 0, sessions 0\n', err: '' });
    expect(gone).toEqual(['slow']);
  });

  it('warns of data of missing modules in commands that such modules may take part in', async () => {
    const { db } = test.app.get<Connection>(getConnectionToken());
    await db!.collection('ratings').insertOne({ stars: 5 });
    await db!.createCollection('emptied');
    const warning = /^warning: This command line does not know what modules keep in: ratings\..*\n$/;
    const erase = 'messages erase --project default --user nobody';
    expect(await cli(erase)).toMatchObject({ code: 0, err: expect.stringMatching(warning) });
    expect((await cli('project list')).err).toBe('');
    const schema = new Schema({ stars: Number }, { collection: 'ratings' });
    expect((await cli(erase, '', [MongooseModule.forFeature([{ name: 'Rating', schema }])])).err).toBe('');
    await db!.dropCollection('ratings');
  });

  describe('beside a running service', () => {
    it('issues valid tokens, and its imports and erasures are visible', async () => {
      const issued = await cli('token issue --project default --user eve');
      expect(issued).toEqual({ code: 0, out: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+\n$/), err: '' });
      test.clock.advance(Date.now() - test.clock.now() + 1000); // its seconds are the system's
      const token = issued.out.trim();
      const history = async () => (await test.call({ path: '/chat?user_id=eve', token })).body.payload;
      expect((await test.call({ path: '/connection', token })).status).toBe(200);
      expect(await history()).toEqual([]);
      const message = { ...incoming, user_id: 'eve', _id: 'eve-1', fileUrl: 'https://a.example/b.mp3' };
      expect((await cli(`messages import ${await aFile('eve.jsonl', [message])}`)).code).toBe(0);
      expect(await history()).toEqual([message]);
      const erased = { code: 0, out: 'erased: messages 1, sessions 1\n', err: '' };
      expect(await cli('messages erase --project default --user eve')).toEqual(erased);
      expect(await history()).toEqual([]);
    });
  });

  it.each([
    ['PORT', 'x', /PORT must/],
    ['MONGODB_URI', 'mongodb://127.0.0.1:9/none', /^The database does not answer\.$/m],
  ])('fails with a bad %s, and reports it', async (name, value, reason) => {
    expect(await cliWith(name, value, 'project list')).toEqual({
      code: 1,
      out: '',
      err: expect.stringMatching(reason),
    });
  });

  it('waits longer for a slow database than a request would', async () => {
    const uri = new URL(process.env.MONGODB_URI!);
    const { hostname, port } = uri;
    let held = 0;
    const way = createServer((socket) => {
      const onward = connect(Number(port), hostname);
      pipeline(onward, socket, () => undefined);
      socket.on('data', (chunk) => {
        const isLate = chunk.includes('find') && chunk.includes('projects');
        if (isLate) held += 1;
        setTimeout(() => onward.write(chunk), isLate ? 1500 : 0);
      });
      socket.on('close', () => onward.destroy());
    });
    await once(way.listen(0, '127.0.0.1'), 'listening');
    uri.host = `127.0.0.1:${(way.address() as AddressInfo).port}`;
    uri.searchParams.set('directConnection', 'true');
    const result = await cliWith('MONGODB_URI', uri.href, 'project show default');
    way.close();
    expect(held).toBeGreaterThan(0);
    expect(result).toMatchObject({ code: 0, err: '' });
  });
});
