import type { FastifyInstance } from 'fastify';
import { CatalogueService } from '../../src/index.js';
import type { OperatorRole } from 'avatar-chat-settings';
import { anyServer, aProject, createTestApp, type TestApp } from '../support/index.js';

const ADMIN_KEY = 'an-admin-key-of-more-than-32-characters';
const OWN = 'own-shop';
const ROLES = ['owner', 'agent', 'viewer'] as const satisfies OperatorRole[];
const keyOf = (role: OperatorRole, project: string) =>
  `${role}-key-${project === '*' ? 'all' : project}`.padEnd(40, 'x');
const scopes = [OWN, '*'];
const adminKeys = scopes.flatMap((project) =>
  ROLES.map((role) => ({
    name: `${role}-${project === '*' ? 'all' : project}`,
    role,
    project,
    key: keyOf(role, project),
  })),
);

/** Who may use each route: roles for one project, and `all` if it is only for keys of all projects. */
const ROUTES: Record<string, { roles: readonly OperatorRole[]; all?: true; listed?: true }> = {
  'GET /admin/audit': { roles: ['owner'] },
  'POST /admin/avatars/speak': { roles: ['owner'], all: true },
  'POST /admin/avatars/try': { roles: ['owner'], all: true },
  'GET /admin/catalogue': { roles: ['owner'], all: true },
  'PUT /admin/catalogue': { roles: ['owner'], all: true },
  'POST /admin/catalogue/check': { roles: ['owner'], all: true },
  'GET /admin/catalogue/schema': { roles: ['owner'], all: true },
  'GET /admin/conversations': { roles: ['owner', 'agent'] },
  'PUT /admin/conversations/:user_id': { roles: ['owner', 'agent'] },
  'POST /admin/conversations/:user_id/typing': { roles: ['owner', 'agent'] },
  'GET /admin/events': { roles: ['owner', 'agent'] },
  'GET /admin/deliveries': { roles: ['owner', 'viewer'] },
  'POST /admin/deliveries/retry': { roles: ['owner'] },
  'POST /admin/knowledge/:base/documents': { roles: ['owner'] },
  'GET /admin/knowledge/:base/documents': { roles: ['owner'] },
  'DELETE /admin/knowledge/:base/documents/:document_id': { roles: ['owner'] },
  'GET /admin/knowledge/:base/search': { roles: ['owner'] },
  'GET /admin/memories': { roles: ['owner'] },
  'DELETE /admin/memories': { roles: ['owner'] },
  'GET /admin/messages': { roles: ['owner', 'agent'] },
  'DELETE /admin/messages': { roles: ['owner'] },
  'POST /admin/messages': { roles: ['owner', 'agent'] },
  'GET /admin/projects': { roles: ['owner', 'agent', 'viewer'], listed: true },
  'POST /admin/projects': { roles: ['owner'], all: true },
  'GET /admin/projects/:project_id': { roles: ['owner'] },
  'DELETE /admin/projects/:project_id': { roles: ['owner'], all: true },
  'GET /admin/projects/:project_id/quality': { roles: ['owner'] },
  'GET /admin/projects/:project_id/replies': { roles: ['owner', 'agent'] },
  'GET /admin/projects/:project_id/statistics': { roles: ['owner', 'viewer'] },
  'GET /admin/projects/:project_id/usage': { roles: ['owner', 'viewer'] },
  'POST /admin/projects/:project_id/webhooks/:name/secret': { roles: ['owner'] },
  'GET /admin/users': { roles: ['owner', 'agent', 'viewer'] },
};

describe('keys with roles', () => {
  let test: TestApp;
  const found = new Set<string>();
  beforeAll(async () => {
    test = await createTestApp({
      server: anyServer(),
      config: { adminKey: ADMIN_KEY, adminKeys },
      onAdapter: (adapter) =>
        adapter.getInstance<FastifyInstance>().addHook('onRoute', ({ method, url }) => {
          for (const one of [method].flat()) if (one !== 'HEAD' && url.startsWith('/admin')) found.add(`${one} ${url}`);
        }),
    });
    await test.app.get(CatalogueService).addProject(OWN, {});
  });
  afterAll(() => test.close());

  /** A request without side effects: a user without data, and bodies that validation refuses. */
  function ask(route: string, project_id: string, token: string) {
    const [given, url] = route.split(' ') as ['GET', string];
    // A stream would not end.
    const method = url.endsWith('/events') ? 'HEAD' : given;
    const path = url.replace(':project_id', project_id).replace(/:\w+/g, 'nothing');
    const query = `project_id=${project_id}&user_id=nobody&q=x&state=waiting`;
    const body = given === 'GET' ? undefined : { project_id, user_id: 'nobody' };
    return test.call({ method, path: `${path}?${query}`, token, body });
  }
  const isForbidden = async (route: string, project_id: string, key: string) => {
    const { status, body, headers } = await ask(route, project_id, key);
    // Every key is valid, and the response to HEAD has no body.
    if (status !== 401 || (body && body.error !== 'forbidden')) return false;
    expect({ status, challenge: headers['www-authenticate'] }).toEqual({
      status: 401,
      challenge: 'Bearer realm="avatar-chat-admin"',
    });
    return true;
  };

  it('every route under /admin says who may use it', () => {
    expect([...found].sort()).toEqual(Object.keys(ROUTES).sort());
  });

  it.each(Object.entries(ROUTES))('%s', async (route, { roles, all = false, listed = false }) => {
    const missing = aProject();
    for (const role of ROLES) {
      const may = roles.includes(role);
      expect({ role, own: await isForbidden(route, OWN, keyOf(role, OWN)) }).toEqual({ role, own: !may || all });
      // Others' projects are forbidden whether or not they exist, before anything else is looked at.
      for (const other of ['default', missing])
        expect({ role, other: await isForbidden(route, other, keyOf(role, OWN)) }).toEqual({ role, other: !listed });
      for (const project_id of [OWN, missing])
        expect({ role, all: await isForbidden(route, project_id, keyOf(role, '*')) }).toEqual({ role, all: !may });
    }
    expect(await isForbidden(route, missing, ADMIN_KEY)).toBe(false);
    // An owner of all projects may have removed it.
    await test.app.get(CatalogueService).addProject(OWN, {});
  });

  it.each(ROLES)('%s: the list has the own project only', async (role) => {
    const list = async (key: string) => (await test.call({ path: '/admin/projects', token: key })).body.projects;
    expect(await list(keyOf(role, OWN))).toEqual([OWN]);
    expect(await list(keyOf(role, '*'))).toEqual(expect.arrayContaining(['default', OWN]));
  });

  it('a limited key has to name its project, once, where the route reads it', async () => {
    const token = keyOf('owner', OWN);
    for (const query of ['', `?project_id=${OWN}&project_id=default`, '?project_id=a_b', `?project_id[a]=${OWN}`])
      expect(await test.call({ path: `/admin/users${query}`, token })).toMatchObject({
        status: 400,
        body: { error: 'invalid_project_id' },
      });
    // The route takes the project of its path.
    expect(await test.call({ path: `/admin/projects/default?project_id=${OWN}`, token })).toMatchObject({
      status: 401,
      body: { error: 'forbidden' },
    });
  });

  it('a key of a role is none of the rest of the service', async () => {
    expect(await test.call({ path: '/connection', token: keyOf('owner', '*') })).toMatchObject({
      status: 401,
      body: { error: 'invalid_token' },
    });
    expect(await test.call({ path: '/admin/users', token: `${keyOf('owner', '*')}x` })).toMatchObject({
      status: 401,
      body: { error: 'invalid_admin_key' },
    });
  });
});
