import { Controller, Get, Module } from '@nestjs/common';
import { getConnectionToken, InjectConnection } from '@nestjs/mongoose';
import type { Connection, mongo } from 'mongoose';
import { Public } from '../../src/index.js';
import { currentTrace } from 'avatar-chat-runtime';
import { anyServer, aUser, createTestApp, type TestApp } from '../support/index.js';

const ADMIN_KEY = 'an-admin-key-of-more-than-32-characters';

/** Reads messages whoever has them. */
@Public()
@Controller('everywhere')
class EverywhereController {
  constructor(@InjectConnection() private readonly connection: Connection) {}
  @Get()
  async read(): Promise<object> {
    return { found: await this.connection.collection('messages').findOne({ file_id: { $in: ['x'] } }) };
  }
}

@Module({ controllers: [EverywhereController] })
class EverywhereModule {}

let test: TestApp;
beforeAll(async () => {
  test = await createTestApp({
    server: anyServer(),
    modules: [EverywhereModule],
    config: { adminKey: ADMIN_KEY },
  });
});
afterAll(() => test.close());

it('every command of a request on messages names the project, with which the shard key begins', async () => {
  const outside = currentTrace();
  const projects: unknown[] = [];
  const seen = new Set<string>();
  const record = ({ commandName, command }: mongo.CommandStartedEvent) => {
    if (command[commandName] !== 'messages' || currentTrace() === outside) return;
    seen.add(commandName);
    const parts = (command.documents ?? command.updates ?? command.deletes ?? [command]) as Record<string, any>[];
    for (const { q, filter, query, pipeline, project_id } of parts) {
      const asked = q ?? filter ?? query ?? pipeline?.[0]?.$match ?? { project_id };
      projects.push(
        ...(asked.project_id === undefined ? (asked.$or ?? [asked]) : [asked]).map((one: any) => one.project_id),
      );
    }
  };
  test.app.get<Connection>(getConnectionToken()).getClient().on('commandStarted', record);
  const [user_id, admin] = [aUser(), { token: ADMIN_KEY }];
  const token = await test.token(user_id);
  const statuses: Record<string, number> = {};
  const ask = async (method: 'GET' | 'POST' | 'DELETE' | 'PUT', path: string, more: object = {}) => {
    const { status, body } = await test.call({ method, path, token, ...more });
    statuses[`${method} ${path.replace(/[?].*/, '')}`] = status;
    return body;
  };
  const body = { avatar_id: 'ada', request: 'Hello', chat_type: 'text' };
  const { incoming } = await ask('POST', '/chat', { body, headers: { 'idempotency-key': 'one' } });
  await ask('POST', '/chat', { body, headers: { 'idempotency-key': 'one' } });
  await ask('POST', '/chat', { body: { ...body, chat_type: 'voice' } });
  await ask('GET', `/chat?user_id=${user_id}&page=2&per_page=1`);
  await ask('GET', `/chat?user_id=${user_id}&per_page=1&before=${incoming._id}`);
  await ask('GET', `/connection`);
  for (const path of [
    'projects/default/statistics',
    'projects/default/quality?days=2',
    'users?project_id=default',
    'users?project_id=default&search=user',
    `messages?project_id=default&user_id=${user_id}`,
    'conversations?project_id=default&state=waiting',
  ])
    await ask('GET', `/admin/${path}`, admin);
  await ask('DELETE', `/admin/messages?project_id=default&user_id=${user_id}`, admin);
  test.app.get<Connection>(getConnectionToken()).getClient().off('commandStarted', record);
  expect(Object.entries(statuses).filter(([, status]) => status >= 300)).toEqual([]);
  expect([...seen].sort()).toEqual(expect.arrayContaining(['aggregate', 'delete', 'find', 'insert']));
  expect(projects.length).toBeGreaterThan(15);
  expect(new Set(projects)).toEqual(new Set(['default']));
});

it('a request that asks every shard is found by the tests', async () => {
  const error = jest.spyOn(console, 'error').mockImplementation(() => undefined);
  expect((await test.call({ path: '/everywhere' })).status).toBe(500);
  error.mockRestore();
});
