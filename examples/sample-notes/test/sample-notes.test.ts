import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { AdminService, CatalogueService, Terminal } from 'avatar-chat-service';
import { anOwner, createTestApp, ModelStub, type TestApp } from 'avatar-chat-service/testing';
import { SampleNotesModule } from '../src/sample-notes.module.js';
import { SampleNotesOperations } from '../src/sample-notes.operations.js';

describe('sample-notes', () => {
  const path = '/sample-notes';
  let test: TestApp;
  before(async () => {
    test = await createTestApp({ modules: [SampleNotesModule] });
  });
  after(() => test.close());

  it('need a token', async () => {
    assert.equal((await test.call({ path })).body.error, 'missing_token');
  });

  it('belong to the user who added them', async () => {
    const token = await test.token(anOwner().user_id);
    for (const text of ['', 5, 'x'.repeat(501), undefined]) {
      const { status, body } = await test.call({ method: 'POST', path, token, body: { text } });
      assert.deepEqual([status, body.error], [400, 'invalid_text']);
    }
    const { status, body } = await test.call({ method: 'POST', path, token, body: { text: 'Tuesday at ten' } });
    assert.equal(status, 201);
    assert.deepEqual((await test.call({ path, token })).body, [body]);
    const stranger = await test.token(anOwner().user_id);
    assert.deepEqual((await test.call({ path, token: stranger })).body, []);
  });

  it('are erased with their user', async () => {
    const owner = anOwner();
    const token = await test.token(owner.user_id);
    await test.call({ method: 'POST', path, token, body: { text: 'Gone soon' } });
    await test.app.get(AdminService).eraseUser(owner);
    const again = await test.token(owner.user_id);
    assert.deepEqual((await test.call({ path, token: again })).body, []);
  });

  it('are added by a model that calls the tool', async () => {
    const model = await new ModelStub().start();
    model.answer = ({ messages }) =>
      messages.at(-1)!.role === 'tool'
        ? ['It is kept.']
        : [ModelStub.callOf('sample_notes_add', { text: 'From a conversation' })];
    const catalogue = test.app.get(CatalogueService);
    const [avatar] = JSON.parse(await catalogue.export()).avatars;
    const kim = { ...avatar, _id: 'kim', name: 'Kim', engine: model.entry({ tools: ['sample_notes_add'] }) };
    const project = { project_id: 'default', avatars: ['kim'], languages: ['en'] };
    await catalogue.apply(JSON.stringify({ avatars: [kim], projects: [project] }));
    const token = await test.token(anOwner().user_id);
    const body = { avatar_id: 'kim', request: 'Keep this, please.' };
    const { incoming } = (await test.call({ method: 'POST', path: '/chat', token, body })).body;
    assert.equal(incoming.answer, 'It is kept.');
    assert.equal((await test.call({ path, token })).body[0].text, 'From a conversation');
    model.stop();
  });

  it('are counted on the command line', async () => {
    const stdout = new PassThrough();
    const terminal = new Terminal({ stdin: new PassThrough(), stdout, stderr: new PassThrough() });
    await test.app.get(SampleNotesOperations).print([], terminal);
    assert.match(String(stdout.read()), /^\d+\n$/);
  });

  it('have a health check, a metric, and a place in the OpenAPI document', async () => {
    assert.equal((await test.call({ path: '/health/ready' })).status, 200);
    const token = await test.token(anOwner().user_id);
    await test.call({ path: '/connection', token });
    assert.match((await test.call({ path: '/metrics' })).text, /^sample_notes_sessions_total [1-9]/m);
    const { paths } = (await test.call({ path: '/docs-json' })).body;
    assert.deepEqual(Object.keys(paths[path]).sort(), ['get', 'post']);
  });
});
