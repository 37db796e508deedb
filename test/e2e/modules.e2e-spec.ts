import { Injectable, Module, type Type } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import { RatingsModule } from '../../examples/ratings/src/ratings.module.js';
import { CatalogueService, ChatService, Config, createAdapter } from '../../src/index.js';
import { PUPPET, PuppetEngine } from '../support/engines.js';
import {
  anOwner,
  aProject,
  aRecording,
  aTurn,
  anyServer,
  createTestApp,
  onEachServer,
  type TestApp,
} from '../support/index.js';
import { MemoryFileStore } from '../support/memory.file-store.js';
import { FixedTranscriber, FRAMES, StudioSpeaker } from '../support/voices.js';

/** Routes that are public. Whoever adds to it justifies it in review. */
const OPEN = [
  'GET /assets/*',
  'GET /console',
  'GET /console/',
  'GET /console/console.js',
  'GET /console/icon.svg',
  'GET /docs',
  'GET /docs-json',
  'GET /docs/',
  'GET /docs/*',
  'GET /docs/LICENSE',
  'GET /docs/docs/swagger-ui-init.js',
  'GET /docs/index.html',
  'GET /docs/swagger-ui-init.js',
  'GET /files/:file_id',
  'GET /files/:file_id/details',
  'GET /files/:file_id/sound',
  'GET /health/live',
  'GET /health/live-slots',
  'GET /health/ready',
  'GET /metrics',
  'GET /v1/realtime',
  'GET /widget.app.js',
  'GET /widget.ar.js',
  'GET /widget.de.js',
  'GET /widget.es.js',
  'GET /widget.fr.js',
  'GET /widget.hi.js',
  'GET /widget.js',
  'GET /widget.live.js',
  'GET /widget.people.js',
  'GET /widget.pt.js',
  'GET /widget.voice.js',
  'GET /widget.worklet.js',
  'GET /widget.zh.js',
  'POST /jwt',
];

/** Replaceable parts of another team: one of each. */
@Module({ providers: [PuppetEngine, StudioSpeaker, FixedTranscriber, MemoryFileStore] })
class PartsModule {}

onEachServer((server) => {
  let test: TestApp;
  const routes: { method: string; url: string }[] = [];
  beforeAll(async () => {
    test = await createTestApp({
      server,
      modules: [RatingsModule, PartsModule],
      config: { adminKey: 'k'.repeat(32) },
      onAdapter: (adapter) =>
        adapter.getInstance<FastifyInstance>().addHook('onRoute', ({ method, url }) => {
          for (const one of [method].flat()) routes.push({ method: one, url });
        }),
    });
  });
  afterAll(() => test.close());

  describe('a module of another team', () => {
    it('is protected by default, like every route except those that are meant to be public', async () => {
      const open: string[] = [];
      const operators: string[] = [];
      for (const { method, url } of routes) {
        const path = url.replace(/:\w+/g, 'x').replace('*', 'x');
        const { status, body } = await test.call({ method: method as 'GET', path });
        if (status === 401 && url.startsWith('/admin/') && (method === 'HEAD' || body.error === 'invalid_admin_key')) {
          operators.push(url);
          continue;
        }
        const missing = status === 401 && (method === 'HEAD' || body.error === 'missing_token');
        if (!missing && method !== 'HEAD') open.push(`${method} ${url}`);
      }
      expect(routes.map(({ method, url }) => `${method} ${url}`)).toEqual(
        expect.arrayContaining([
          'GET /connection',
          'GET /chat',
          'GET /widget.js',
          'POST /jwt',
          'PUT /ratings/:message_id',
          'GET /ratings/:message_id',
        ]),
      );
      expect([...new Set(open)].sort()).toEqual(OPEN);
      expect(operators).toHaveLength(routes.filter(({ url }) => url.startsWith('/admin')).length);
      expect(operators.length).toBeGreaterThan(9);
    });

    it("validates, stores and reads on behalf of the token's user", async () => {
      const owner = anOwner();
      const { incoming } = await test.app.get(ChatService).record(aTurn({ owner }));
      const token = await test.token(owner.user_id);
      const path = `/ratings/${incoming._id}`;
      expect(await test.call({ path, token })).toMatchObject({ status: 404, body: { error: 'rating_not_found' } });
      expect(await test.call({ method: 'PUT', path, token, body: { stars: 6 } })).toMatchObject({
        status: 400,
        body: { error: 'invalid_stars' },
      });
      expect(await test.call({ method: 'PUT', path, token, body: { stars: 5 } })).toMatchObject({
        status: 200,
        body: { stars: 5 },
      });
      expect(await test.call({ path, token })).toMatchObject({ status: 200, body: { stars: 5 } });
      const other = await test.token(anOwner().user_id);
      expect((await test.call({ path, token: other })).status).toBe(404);
    });

    describe('with its own parts', () => {
      const catalogueOf = (project_id: string, speech: object, engine: object = PUPPET.engine) =>
        JSON.stringify({
          avatars: [{ ...PUPPET, engine }],
          projects: [{ project_id, avatars: ['puppet'], languages: ['en'], speech }],
        });

      it('transcribes, answers, speaks and stores files with them', async () => {
        const project_id = aProject();
        const speech = { speaker: { kind: 'studio' }, transcriber: { kind: 'fixed' } };
        await test.app.get(CatalogueService).apply(catalogueOf(project_id, speech));
        const token = await test.token(anOwner().user_id, project_id);
        const form = new FormData();
        form.append('avatar_id', 'puppet');
        form.append('chat_type', 'voice');
        form.append('file', new Blob([aRecording()]));
        const upload = new Response(form);
        const answer = await test.app.inject({
          method: 'POST',
          url: '/chat',
          headers: { authorization: `Bearer ${token}`, 'content-type': upload.headers.get('content-type')! },
          payload: Buffer.from(await upload.arrayBuffer()),
        });
        expect(answer.json()).toMatchObject({
          outgoing: { request: 'What was dictated' },
          incoming: { answer: 'You said: What was dictated' },
        });
        const url = answer.json().incoming.fileUrl.replace('http://chat.test', '');
        expect((await test.app.inject({ url })).rawPayload.equals(FRAMES)).toBe(true);
        const [, file_id] = /\/files\/([^?]+)/.exec(url)!;
        expect(await test.app.get(MemoryFileStore).find(file_id!)).toMatchObject({ content_type: 'audio/mpeg' });
      });

      it('has its entries validated by them, and unknown kinds rejected with the known ones', async () => {
        const speech = { speaker: { kind: 'studio', door: 'open' }, transcriber: { kind: 'studio' } };
        const faults = await test.app.get(CatalogueService).check(catalogueOf(aProject(), speech, { kind: 'parrot' }));
        expect(faults).toEqual([
          {
            place: 'avatars[0].engine.kind',
            problem: 'must be one of llama, openai, openai-live, openai-realtime, puppet, scripted, survey',
          },
          { place: 'projects[0].speech.speaker.door', problem: 'must be closed' },
          {
            place: 'projects[0].speech.transcriber.kind',
            problem: 'must be one of fixed, moonshine, none, openai, sherpa',
          },
        ]);
      });
    });
  });
});

describe('a start is refused with', () => {
  @Injectable()
  class SecondPuppet extends PuppetEngine {}
  @Injectable()
  class SecondFixed extends FixedTranscriber {}
  @Injectable()
  class SecondMemory extends MemoryFileStore {}
  @Injectable()
  class ThirdMemory extends MemoryFileStore {
    override readonly kind = 'third';
  }

  it.each<[string, Type[], string]>([
    ['two engines of a kind', [SecondPuppet], "Two providers are the engine 'puppet': PuppetEngine, SecondPuppet."],
    [
      'two transcribers of a kind',
      [SecondFixed],
      "Two providers are the transcriber 'fixed': FixedTranscriber, SecondFixed.",
    ],
    ['two file stores', [SecondMemory], "Two providers are the file store 'custom': MemoryFileStore, SecondMemory."],
    ['two file stores of two kinds', [ThirdMemory], 'Modules bring more than one file store: custom, third.'],
  ])('%s', async (_, providers, message) => {
    @Module({ providers })
    class TeamModule {}
    await expect(createTestApp({ server: anyServer(), modules: [PartsModule, TeamModule] })).rejects.toThrow(message);
  });
});

it('the adapter of the public API is the one with the limits of the service', () => {
  expect(createAdapter(new Config()).getInstance().initialConfig.bodyLimit).toBe(65_536);
});
