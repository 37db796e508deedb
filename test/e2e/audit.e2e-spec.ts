import { hash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getConnectionToken } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { AuditLog } from '../../src/audit/index.js';
import { ErasureFences, ErasureService } from '../../src/erasure/index.js';
import { CatalogueService, ChatService, Owner } from '../../src/index.js';
import type { OperatorRole } from 'avatar-chat-settings';
import { cli, setCliVariables } from '../support/cli.js';
import { aProject, aTurn, aUser, createTestApp, onEachServer, type TestApp } from '../support/index.js';

const ADMIN_KEY = 'an-admin-key-of-more-than-32-characters';
const OWN = aProject();
const key = (name: string, role: OperatorRole, project: string) => ({ name, role, project, key: name.padEnd(40, 'x') });
const SHOP = key('shop', 'owner', OWN);
const DESK = key('desk', 'agent', OWN);
const ALL = key('all', 'owner', '*');
const DAY = 86_400_000;
const pseudonymOf = (user_id: string) => hash('sha256', user_id).slice(0, 16);

onEachServer((server) => {
  let test: TestApp;
  let dir: string;
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'avatar-chat-audit-'));
    test = await createTestApp({ server, config: { adminKey: ADMIN_KEY, adminKeys: [SHOP, DESK, ALL] } });
    setCliVariables(test, dir);
    await test.app.get(CatalogueService).addProject(OWN, {});
  });
  afterAll(async () => {
    await test.close();
    await rm(dir, { recursive: true, force: true });
  });

  const ask = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, token = ADMIN_KEY, body?: unknown) =>
    test.call({ method, path: `/admin${path}`, token, body });
  const entriesOf = async (project_id?: string, token = ADMIN_KEY) =>
    (await ask('GET', `/audit${project_id === undefined ? '' : `?project_id=${project_id}`}`, token)).body.entries;
  const ofProject = async (project_id: string) =>
    (await entriesOf(project_id)).filter((entry: object) => 'project_id' in entry);
  const userPath = (kind: string, project_id: string, user_id: string) =>
    `/${kind}?project_id=${project_id}&user_id=${user_id}`;
  const say = (project_id: string, user_id: string) =>
    test.app.get(ChatService).record(aTurn({ owner: new Owner(project_id, user_id), request: 'A secret message' }));

  describe('the audit log', () => {
    it('has every change by a key, newest first, with the name of the key', async () => {
      const project_id = aProject();
      const now = test.clock.now();
      await ask('POST', '/projects', ALL.key, { project_id });
      test.clock.advance(1000);
      await ask('DELETE', userPath('memories', project_id, 'ann'));
      const form = new FormData();
      form.append('file', new Blob(['The shop is open on Mondays.']), 'hours.txt');
      const added = await ask('POST', `/knowledge/hours/documents?project_id=${project_id}`, ADMIN_KEY, form);
      test.clock.advance(1000);
      const { document_id } = added.body;
      await ask('DELETE', `/knowledge/hours/documents/${document_id}?project_id=${project_id}`);
      test.clock.advance(1000);
      await ask('DELETE', `/projects/${project_id}`);
      expect(await ofProject(project_id)).toEqual([
        { date: now + 3000, key: 'admin', action: 'project.remove', project_id },
        {
          date: now + 2000,
          key: 'admin',
          action: 'knowledge.remove',
          project_id,
          details: { base: 'hours', document_id },
        },
        { date: now + 1000, key: 'admin', action: 'knowledge.add', project_id, details: { base: 'hours' } },
        { date: now + 1000, key: 'admin', action: 'memories.remove', project_id, user_id: 'ann' },
        { date: now, key: 'all', action: 'project.add', project_id },
      ]);
    });

    it('has changes of the catalogue without a project, for keys of all projects', async () => {
      const { body, headers } = await ask('GET', '/catalogue');
      const before = await entriesOf();
      for (const given of [{ 'if-match': String(headers.etag) }, {}] as Record<string, string>[]) {
        const same = { method: 'PUT' as const, path: '/admin/catalogue', token: ALL.key, body, headers: given };
        expect((await test.call(same)).body).toMatchObject({ projects: body.projects.length, changed: false });
      }
      expect(await entriesOf()).toEqual(before);
      const [first, ...others] = body.avatars;
      const changed = { avatars: [{ ...first, name: `${first.name} II` }, ...others] };
      expect((await ask('PUT', '/catalogue', ALL.key, changed)).body).toMatchObject({ projects: 0, changed: true });
      const entry = { date: test.clock.now(), key: 'all', action: 'catalogue.apply' };
      for (const seen of [await entriesOf(), await entriesOf('default')]) expect(seen[0]).toEqual(entry);
      expect(await entriesOf(OWN, SHOP.key)).toEqual([]);
      expect(await entriesOf(undefined, SHOP.key)).toEqual([]);
    });

    it('has neither reads, nor what was refused', async () => {
      const before = await entriesOf();
      await ask('GET', '/projects');
      await ask('POST', '/catalogue/check', ADMIN_KEY, {});
      await ask('POST', '/projects', ADMIN_KEY, { project_id: OWN });
      await ask('POST', '/projects', ADMIN_KEY, { project_id: 'a_b' });
      await ask('PUT', '/catalogue', ADMIN_KEY, { projects: [{ project_id: 'x', avatars: ['nobody'] }] });
      await ask('DELETE', userPath('messages', aProject(), 'ann'));
      await ask('DELETE', userPath('messages', OWN, 'ann'), DESK.key);
      expect(await entriesOf()).toEqual(before);
    });

    it('is for owners, each of their projects, for as many days as are asked for', async () => {
      const { clock } = test;
      await ask('DELETE', userPath('memories', OWN, 'ann'), SHOP.key);
      await ask('DELETE', userPath('memories', 'default', 'ann'), ALL.key);
      const own = { date: clock.now(), key: 'shop', action: 'memories.remove', project_id: OWN, user_id: 'ann' };
      for (const project_id of [OWN, undefined]) expect(await entriesOf(project_id, SHOP.key)).toEqual([own]);
      expect(await ask('GET', '/audit?project_id=default', SHOP.key)).toMatchObject({
        status: 401,
        body: { error: 'forbidden' },
      });
      expect((await ask('GET', '/audit', DESK.key)).body.error).toBe('forbidden');
      clock.advance(31 * DAY);
      expect(await entriesOf(OWN, SHOP.key)).toEqual([]);
      const counts = await Promise.all(
        [31, 30, 400].map(async (days) => (await ask('GET', `/audit?days=${days}`, SHOP.key)).body.entries.length),
      );
      expect(counts).toEqual([1, 0, 1]);
      for (const days of ['0', '401', '1e1', '', '-1', '1&days=2'])
        expect(await ask('GET', `/audit?days=${days}`)).toMatchObject({ status: 400, body: { error: 'invalid_days' } });
      expect(await ask('GET', `/audit?project_id=${aProject()}`)).toMatchObject({
        status: 404,
        body: { error: 'project_not_found' },
      });
    });

    it('has messages that operators send, without their text', async () => {
      const user_id = aUser();
      const message = { project_id: OWN, user_id, avatar_id: 'ada', answer: 'A secret message', name: 'Sam' };
      expect((await ask('POST', '/messages', DESK.key, message)).status).toBe(201);
      const [entry] = await entriesOf(OWN, SHOP.key);
      expect(entry).toEqual({
        date: test.clock.now(),
        key: 'desk',
        action: 'message.send',
        project_id: OWN,
        user_id,
        details: { avatar_id: 'ada', name: 'Sam' },
      });
      // The route reads the user of the body alone, and so does the log.
      await ask('POST', `/messages?user_id=somebody-else&project_id=default`, DESK.key, message);
      expect((await entriesOf(OWN, SHOP.key))[0]).toMatchObject({ project_id: OWN, user_id });
    });

    it('has hand-overs, unless they are refused or change nothing', async () => {
      const [project_id, user_id] = [aProject(), aUser()];
      const path = `/conversations/${user_id}?project_id=${project_id}`;
      const body = { state: 'person', name: 'Sam' };
      await test.app.get(CatalogueService).addProject(project_id, {});
      expect((await ask('PUT', path, ADMIN_KEY, body)).body.error).toBe('handover_disabled');
      expect(await ofProject(project_id)).toEqual([]);
      const project = { project_id, avatars: ['ada'], languages: ['en'], handover: { enabled: true } };
      await test.app.get(CatalogueService).apply(JSON.stringify({ projects: [project] }));
      const back = { state: 'avatar' };
      for (const wish of [back, body, body, back, back]) {
        expect((await ask('PUT', path, ADMIN_KEY, wish)).status).toBe(200);
        test.clock.advance(1000);
      }
      expect(await ofProject(project_id)).toMatchObject([
        { action: 'conversation.change', user_id, details: back },
        { action: 'conversation.change', user_id, details: body },
      ]);
    });

    it('shows of an entry by a newer version only what this one knows', async () => {
      const shown = { key: 'admin', action: 'project.add', project_id: aProject(), details: { text: true } };
      const stored = test.app.get<Connection>(getConnectionToken()).collection('audit_entries');
      const date = test.clock.now();
      await stored.insertOne({ ...shown, date: new Date(date), fence: 0, internal: 'unknown' });
      expect(await ofProject(shown.project_id)).toEqual([{ ...shown, date }]);
    });

    it('lists at most 1,000 entries, and keeps them for 400 days', async () => {
      const project_id = aProject();
      const log = test.app.get(AuditLog, { strict: false });
      for (let n = 0; n < 1001; n++) await log.record({ key: 'k', action: `a${n}`, project_id });
      const listed = await ofProject(project_id);
      expect(listed).toHaveLength(1000);
      expect([listed[0].action, listed[999].action]).toEqual(['a1000', 'a1']);
      const indexes = await test.app.get<Connection>(getConnectionToken()).collection('audit_entries').indexes();
      expect(indexes).toContainEqual(
        expect.objectContaining({ key: { date: 1 }, expireAfterSeconds: (400 * DAY) / 1000 }),
      );
    });
  });

  describe('an erasure replaces the user in every entry', () => {
    /** What is stored, with all fields. */
    const stored = (project_id: string) =>
      test.app.get<Connection>(getConnectionToken()).collection('audit_entries').find({ project_id }).toArray();

    it('by an operator, its own included', async () => {
      const [user_id, other] = [aUser(), aUser()];
      const project_id = (await ask('POST', '/projects', ADMIN_KEY, { project_id: aProject() })).body.project_id;
      await say(project_id, user_id);
      for (const user of [user_id, other]) await ask('DELETE', userPath('memories', project_id, user));
      await ask('DELETE', userPath('memories', 'default', user_id));
      expect(await ask('DELETE', userPath('messages', project_id, user_id))).toMatchObject({ status: 200 });
      const pseudonym = pseudonymOf(user_id);
      expect((await ofProject(project_id)).map(({ action, user_id: user }: any) => [action, user])).toEqual([
        ['user.erase', pseudonym],
        ['memories.remove', other],
        ['memories.remove', pseudonym],
        ['project.add', undefined],
      ]);
      expect(JSON.stringify(await stored(project_id))).not.toContain(user_id);
      // In another project it is another user.
      expect(JSON.stringify(await entriesOf('default'))).toContain(user_id);
      // A user with the pseudonym of another is another user, too.
      await ask('DELETE', userPath('memories', project_id, pseudonym));
      await ask('DELETE', userPath('messages', project_id, pseudonym));
      expect((await ofProject(project_id)).map(({ user_id: user }: any) => user)).toEqual([
        pseudonymOf(pseudonym),
        pseudonymOf(pseudonym),
        pseudonym,
        other,
        pseudonym,
        undefined,
      ]);
    });

    it('by the command line, of one user and of all', async () => {
      const project_id = aProject();
      await test.app.get(CatalogueService).addProject(project_id, {});
      const users = [aUser(), aUser(), aUser()];
      for (const user of users) await ask('DELETE', userPath('memories', project_id, user));
      expect((await cli(`messages erase --project ${project_id} --user ${users[0]}`)).code).toBe(0);
      expect((await ofProject(project_id)).map(({ user_id }: any) => user_id)).toEqual([
        users[2],
        users[1],
        pseudonymOf(users[0]!),
      ]);
      // They have no messages.
      expect((await cli(`messages erase --project ${project_id} --all`)).code).toBe(0);
      expect((await ofProject(project_id)).map(({ user_id }: any) => user_id)).toEqual(
        users.map(pseudonymOf).reverse(),
      );
    });

    it('but not a removal of the project, whose messages stay', async () => {
      const [project_id, user_id] = [aProject(), aUser()];
      await ask('POST', '/projects', ADMIN_KEY, { project_id });
      await say(project_id, user_id);
      await ask('DELETE', userPath('memories', project_id, user_id));
      await ask('DELETE', `/projects/${project_id}`);
      expect((await ofProject(project_id))[1]).toMatchObject({ action: 'memories.remove', user_id });
    });

    it('in what a process stored meanwhile before it crashed, and in nothing later', async () => {
      const [project_id, user_id, late] = [aProject(), aUser(), aUser()];
      await test.app.get(CatalogueService).addProject(project_id, {});
      const log = test.app.get(AuditLog, { strict: false });
      await log.record({ key: 'k', action: 'before', project_id, user_id });
      await test.app.get(ErasureFences, { strict: false }).mark({ project_id, user_id });
      await log.record({ key: 'k', action: 'after', project_id, user_id });
      await log.record({ key: 'k', action: 'after', project_id, user_id: late });
      await test.app.get(ErasureService, { strict: false }).eraseLeftovers(() => false);
      const users = async () => (await ofProject(project_id)).map((entry: any) => entry.user_id);
      expect(await users()).toEqual([late, user_id, pseudonymOf(user_id)]);
      await test.app.get(ErasureFences, { strict: false }).mark({ project_id, erased: true });
      await test.app.get(ErasureService, { strict: false }).eraseLeftovers(() => false);
      expect(await users()).toEqual([late, user_id, user_id].map(pseudonymOf));
    });
  });

  it('a change of which a part failed keeps its entry', async () => {
    const [project_id, user_id] = [aProject(), aUser()];
    await test.app.get(CatalogueService).addProject(project_id, {});
    const erasure = test.app.get(ErasureService, { strict: false });
    const broken = jest.spyOn(erasure, 'eraseUser').mockRejectedValueOnce(new Error('a fault of the test'));
    expect((await ask('DELETE', userPath('messages', project_id, user_id))).status).toBe(500);
    broken.mockRestore();
    expect(await ofProject(project_id)).toMatchObject([{ action: 'user.erase', user_id }]);
    await ask('DELETE', userPath('messages', project_id, user_id));
    expect((await ofProject(project_id)).map((entry: any) => entry.user_id)).toEqual(
      Array.from({ length: 2 }, () => pseudonymOf(user_id)),
    );
  });
});
