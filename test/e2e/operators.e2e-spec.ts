import { createHmac } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { CatalogueService, ChatService, Owner } from '../../src/index.js';
import { cli, setCliVariables } from '../support/cli.js';
import { aProject, aTurn, createTestApp, onEachServer, startReceiver, type TestApp } from '../support/index.js';

const KEY = 'k'.repeat(40);
const HOUR = 3_600_000;

onEachServer((server) => {
  let dir: string;
  let test: TestApp;
  let receiver: Awaited<ReturnType<typeof startReceiver>>;
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'avatar-chat-operators-'));
    test = await createTestApp({ server, config: { adminKey: KEY } });
    receiver = await startReceiver();
    setCliVariables(test, dir);
  });
  afterAll(async () => {
    await receiver.close();
    await test.close();
    await rm(dir, { recursive: true, force: true });
  });

  const lines = (out: string) =>
    out
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  const ask = (path: string) => test.call({ path: `/admin${path}`, token: KEY });
  const say = (project_id: string, user_id: string, request = 'Hello!') =>
    test.app.get(ChatService).record(aTurn({ owner: new Owner(project_id, user_id), request }));

  async function addProject(settings: object = {}): Promise<string> {
    const project_id = aProject();
    const project = { project_id, avatars: ['ada'], languages: ['en'], ...settings };
    await test.app.get(CatalogueService).apply(JSON.stringify({ projects: [project] }));
    return project_id;
  }

  describe('prepared replies', () => {
    it('stand in the catalogue, in order, and go with a project that no longer has them', async () => {
      const replies = [
        { name: 'Welcome', text: 'Hello!\nHow can I help?' },
        { name: 'Bye', text: 'Goodbye.' },
      ];
      const project_id = await addProject({ replies });
      expect(await ask(`/projects/${project_id}/replies`)).toMatchObject({ status: 200, body: { replies } });
      const exported = JSON.parse(await test.app.get(CatalogueService).export());
      expect(exported.projects).toContainEqual(expect.objectContaining({ project_id, replies }));
      const project = { project_id, avatars: ['ada'], languages: ['en'] };
      await test.app.get(CatalogueService).apply(JSON.stringify({ projects: [project] }));
      expect((await ask(`/projects/${project_id}/replies`)).body).toEqual({ replies: [] });
      expect((await ask('/projects/nowhere/replies')).body).toMatchObject({ error: 'project_not_found' });
    });

    it.each([
      ['', [{ name: 'One' }]],
      ['[0].name', [{ name: '', text: 'x' }]],
      ['[0].name', [{ name: 'x'.repeat(101), text: 'x' }]],
      ['[0].text', [{ name: 'One', text: 'x'.repeat(2001) }]],
      ['[1].name', Array.from({ length: 2 }, () => ({ name: 'One', text: 'x' }))],
      ['', Array.from({ length: 101 }, (_, n) => ({ name: `Reply ${n}`, text: 'x' }))],
    ])('with a fault are refused at its place: %s', async (place, replies) => {
      const project = { project_id: aProject(), avatars: ['ada'], languages: ['en'], replies };
      const body = { projects: [project] };
      const { faults } = (await test.call({ method: 'POST', path: '/admin/catalogue/check', token: KEY, body })).body;
      expect(faults).toHaveLength(1);
      expect(faults[0].place).toMatch(new RegExp(`^projects\\[0\\]\\.replies${place.replaceAll(/[[\].]/g, '\\$&')}`));
    });
  });

  describe('a project’s key', () => {
    const tokenStatus = async (project_id: string, key: string) => {
      const user_hash = createHmac('sha256', key).update('ann').digest('hex');
      const { status } = await test.call({
        method: 'POST',
        path: '/jwt',
        body: { user_id: 'ann', project_id, user_hash },
      });
      return status;
    };
    const shown = async (project_id: string) => (await ask(`/projects/${project_id}`)).body;
    /** By the command line, alongside the running service. */
    async function rotate(project_id: string, options = ''): Promise<string> {
      const { code, out, err } = await cli(`project rotate-key ${project_id}${options}`);
      expect({ code, err }).toEqual({ code: 0, err: '' });
      expect(out).toMatch(/^[\w-]{43}\n$/);
      await test.app.get(CatalogueService).refresh();
      return out.trim();
    }

    it('is replaced, and the old one stays valid until the grace period ends', async () => {
      const project_id = await addProject({ token_policy: 'verified' });
      // The command line has the system's clock.
      test.clock.set(Date.now() - test.clock.now());
      const first = (await shown(project_id)).key;
      const second = await rotate(project_id);
      expect(await shown(project_id)).toMatchObject({ key: second, previous_keys: [{ until: expect.any(Number) }] });
      const third = await rotate(project_id, ' --grace 48');
      const statuses = () => Promise.all([first, second, third].map((key) => tokenStatus(project_id, key)));
      expect(await statuses()).toEqual([200, 200, 200]);
      test.clock.advance(25 * HOUR);
      expect(await statuses()).toEqual([401, 200, 200]);
      test.clock.advance(24 * HOUR);
      expect(await statuses()).toEqual([401, 401, 200]);
      expect(await shown(project_id)).not.toHaveProperty('previous_keys');
    });

    it('expires at once with --grace 0, and so do earlier ones', async () => {
      const project_id = await addProject({ token_policy: 'verified' });
      const first = (await shown(project_id)).key;
      const second = await rotate(project_id, ' --grace 8760');
      const third = await rotate(project_id, ' --grace 0');
      expect(await Promise.all([first, second, third].map((key) => tokenStatus(project_id, key)))).toEqual([
        401, 401, 200,
      ]);
      const { text: catalogue } = await ask('/catalogue');
      for (const key of [first, second, third]) expect(catalogue).not.toContain(key);
      expect(catalogue).not.toMatch(/previous_keys|webhook_key|webhook_secrets/);
    });

    it.each([
      ['project rotate-key nowhere', 1, /^There is no project 'nowhere'\.$/m],
      ['project rotate-key default --grace never', 2, /number of hours/],
      ['webhooks rotate-secret --project nowhere --name crm', 1, /^There is no project 'nowhere'\.$/m],
      ['webhooks rotate-secret --project default --name crm', 1, /no webhook of this name/],
    ])('%s: %d', async (args, code, err) => {
      expect(await cli(args)).toEqual({ code, out: '', err: expect.stringMatching(err) });
    });

    it('does not affect webhooks: their secrets stay, and rotate separately', async () => {
      const webhooks = [
        { name: 'crm', url: receiver.url, events: ['session.started'] },
        { name: 'own', url: receiver.url, events: ['user.erased'], secret_env: 'TEST_OPERATORS_SECRETS' },
      ];
      const project_id = await addProject({ webhooks });
      const secretOf = async () => (await shown(project_id)).webhooks[0].secret as string;
      const before = await secretOf();
      await rotate(project_id, ' --grace 0');
      await rotate(project_id, ' --grace 0');
      expect(await secretOf()).toBe(before);
      const { code, out } = await cli(`webhooks rotate-secret --project ${project_id} --name crm`);
      expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/^whsec_\S{44}\n$/) });
      await test.app.get(CatalogueService).refresh();
      expect(await secretOf()).toBe(out.trim());
      test.clock.set(Date.now() - test.clock.now());
      await test.call({ path: '/connection', token: await test.token('ann', project_id) });
      await receiver.until(() => receiver.received.length === 1);
      const { body, headers } = receiver.received[0]!;
      for (const secret of [before, out.trim()]) expect(() => new Webhook(secret).verify(body, headers)).not.toThrow();
      expect((await ask('/catalogue')).text).not.toContain('whsec_');
      expect(await cli(`webhooks rotate-secret --project ${project_id} --name own`)).toMatchObject({
        code: 1,
        err: expect.stringMatching(/secret_env/),
      });
      const { deliveries } = (await ask(`/deliveries?project_id=${project_id}`)).body;
      await receiver.until(
        async () => (await ask(`/deliveries?project_id=${project_id}`)).body.deliveries[0].state === 'delivered',
      );
      expect(deliveries).toEqual([expect.objectContaining({ project_id, webhook: 'crm', type: 'session.started' })]);
      expect((await ask(`/deliveries?project_id=${aProject()}`)).status).toBe(404);
      expect((await ask('/deliveries?project_id=default')).body).toEqual({ deliveries: [] });
    });
  });

  it('a webhook’s secret that is replaced twice signs for a while longer only if it was the last one', async () => {
    const project_id = await addProject({
      webhooks: [{ name: 'crm', url: receiver.url, events: ['session.started'] }],
    });
    const first = (await ask(`/projects/${project_id}`)).body.webhooks[0].secret as string;
    const next = async () => (await cli(`webhooks rotate-secret --project ${project_id} --name crm`)).out.trim();
    const [second, third] = [await next(), await next()];
    await test.app.get(CatalogueService).refresh();
    test.clock.set(Date.now() - test.clock.now());
    await test.call({ path: '/connection', token: await test.token('ann', project_id) });
    const told = () => receiver.received.find(({ event }) => event.data.project_id === project_id);
    await receiver.until(() => told() !== undefined);
    const { body, headers } = told()!;
    for (const secret of [second, third]) expect(() => new Webhook(secret).verify(body, headers)).not.toThrow();
    expect(() => new Webhook(first).verify(body, headers)).toThrow('No matching signature');
  });

  describe('all users of a project', () => {
    it('are listed and searched, each with their messages', async () => {
      const project_id = await addProject();
      const [from, hour] = [test.clock.now(), HOUR];
      await say(project_id, 'ann');
      test.clock.advance(hour);
      for (const user_id of ['Joanna_1', 'ann', 'bob']) await say(project_id, user_id);
      const users = [
        { user_id: 'Joanna_1', messages: 2, first: from + hour, last: from + hour + 1 },
        { user_id: 'ann', messages: 4, first: from, last: from + hour + 1 },
        { user_id: 'bob', messages: 2, first: from + hour, last: from + hour + 1 },
      ];
      const { code, out, err } = await cli(`users list --project ${project_id}`);
      expect({ code, err, users: lines(out) }).toEqual({ code: 0, err: '', users });
      const found = async (query: string) => (await ask(`/users?project_id=${project_id}${query}`)).body.users;
      expect(await found('')).toEqual(users);
      expect(await found('&search=')).toEqual(users);
      expect(await found('&search=ANN')).toEqual(users.slice(0, 2));
      expect(await found('&search=_')).toEqual(users.slice(0, 1));
      for (const other of ['.*', '\0', 'ann ']) expect(await found(`&search=${encodeURIComponent(other)}`)).toEqual([]);
      expect(await ask(`/users?project_id=${project_id}&search=${'x'.repeat(129)}`)).toMatchObject({
        status: 400,
        body: { error: 'invalid_search' },
      });
      expect((await ask(`/users?project_id=${project_id}&search=a&search=b`)).status).toBe(400);
      expect((await ask(`/users?project_id=${aProject()}`)).body.error).toBe('project_not_found');
      expect((await cli(`users list --project ${aProject()}`)).code).toBe(1);
    });

    it('are exported together, in the import format, and erased together', async () => {
      const [project_id, other] = [await addProject(), await addProject()];
      for (const user_id of ['ann', 'bob', 'ann']) await say(project_id, user_id);
      await say(other, 'ann');
      await test.call({ path: '/connection', token: await test.token('ann', project_id) });
      await test.call({ path: '/connection', token: await test.token('only-here', project_id) });
      const { out } = await cli(`messages export --project ${project_id}`);
      const exported = lines(out);
      expect(exported.map(({ user_id }) => user_id)).toEqual(['bob', 'bob', 'ann', 'ann', 'ann', 'ann']);
      const alone = await cli(`messages export --project ${project_id} --user ann`);
      expect(out.endsWith(alone.out)).toBe(true);
      expect(await cli(`messages erase --project ${project_id}`)).toMatchObject({ code: 2, out: '' });
      const counts = async (of: string) =>
        (await ask(`/users?project_id=${of}`)).body.users.map(({ messages }: { messages: number }) => messages);
      expect(await counts(project_id)).toEqual([4, 2]);
      expect(await cli(`messages erase --project ${project_id} --all`)).toEqual({
        code: 0,
        out: 'erased: messages 6, sessions 2, users 2\n',
        err: '',
      });
      expect(await cli(`messages export --project ${project_id}`)).toEqual({ code: 0, out: '', err: '' });
      expect(await counts(other)).toEqual([2]);
      expect(await cli(`messages erase --project ${project_id} --all`)).toMatchObject({ code: 0 });
      for (const command of ['export', 'erase'])
        expect(
          await cli(`messages ${command} --project ${aProject()}${command === 'erase' ? ' --all' : ''}`),
        ).toMatchObject({
          code: 1,
          err: expect.stringMatching(/There is no project/),
        });
    });
  });
});
