import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { AdminService, CatalogueService, ChatService } from 'avatar-chat-service';
import { anOwner, aTurn, createTestApp, engineContract, type TestApp } from 'avatar-chat-service/testing';
import { RatingsModule } from '../src/ratings.module.js';
import { SurveyEngine } from '../src/survey.engine.js';

const SURVEY = { kind: 'survey', question: 'How was it, from 1 to 5?', thanks: 'Thank you!' };

describe('ratings', () => {
  let test: TestApp;
  before(async () => {
    test = await createTestApp({ modules: [RatingsModule] });
  });
  after(() => test.close());

  /** Creates a user with an answer to rate. */
  async function aUserWithAnswer() {
    const owner = anOwner();
    const { incoming } = await test.app.get(ChatService).record(aTurn({ owner }));
    return { owner, token: await test.token(owner.user_id), path: `/ratings/${incoming._id}` };
  }

  it('require a token', async () => {
    assert.equal((await test.call({ path: '/ratings/x' })).body.error, 'missing_token');
  });

  it('can be created and read by the user who got the answer', async () => {
    const { token, path } = await aUserWithAnswer();
    assert.equal((await test.call({ path, token })).body.error, 'rating_not_found');
    for (const stars of [0, 6, 2.5, '5', undefined]) {
      const { status, body } = await test.call({ method: 'PUT', path, token, body: { stars } });
      assert.deepEqual([status, body.error], [400, 'invalid_stars']);
    }
    assert.equal((await test.call({ method: 'PUT', path, token, body: { stars: 5 } })).status, 200);
    assert.deepEqual((await test.call({ path, token })).body, { stars: 5 });
    const other = await aUserWithAnswer();
    assert.equal((await test.call({ path, token: other.token })).status, 404);
    assert.equal((await test.call({ method: 'PUT', path, token: other.token, body: { stars: 1 } })).status, 400);
  });

  it('are erased with their user', async () => {
    const { owner, token, path } = await aUserWithAnswer();
    await test.call({ method: 'PUT', path, token, body: { stars: 4 } });
    await test.app.get(AdminService).eraseUser(owner);
    // Listeners run asynchronously.
    while ((await test.call({ path, token })).status !== 404) await new Promise((resolve) => setTimeout(resolve, 10));
  });

  it('appear in the OpenAPI document', async () => {
    const { paths } = (await test.call({ path: '/docs-json' })).body;
    assert.deepEqual(Object.keys(paths['/ratings/{message_id}']).sort(), ['get', 'put']);
  });

  it('are requested by an avatar with a custom engine', async () => {
    const catalogue = test.app.get(CatalogueService);
    const [avatar] = JSON.parse(await catalogue.export()).avatars;
    const sue = { ...avatar, _id: 'sue', name: 'Sue', engine: SURVEY };
    const project = { project_id: 'default', avatars: ['sue'], languages: ['en'] };
    await catalogue.apply(JSON.stringify({ avatars: [sue], projects: [project] }));
    const token = await test.token(anOwner().user_id);
    const say = async (request: string) =>
      (await test.call({ method: 'POST', path: '/chat', token, body: { avatar_id: 'sue', request } })).body.incoming
        .answer;
    assert.equal(await say('Hello'), SURVEY.question);
    assert.equal(await say('A 4, I think'), SURVEY.thanks);
    const bad = { ...sue, engine: { kind: 'survey' } };
    await assert.rejects(catalogue.apply(JSON.stringify({ avatars: [bad] })), /avatars\[0\]\.engine\.question/);
  });
});

Object.assign(globalThis, { describe, it }); // the engine contract expects these globals
engineContract(
  'survey',
  () => new SurveyEngine(),
  () => ({
    project_id: 'default',
    user_id: 'user-1',
    avatar: { _id: 'sue', name: 'Sue', greetingText: 'Hello!' },
    engine: SURVEY,
    language_code: 'en',
    chat_type: 'text',
    request: 'Hello',
    history: [],
  }),
);
