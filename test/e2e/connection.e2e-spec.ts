import { getConnectionToken } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { CatalogueService } from '../../src/index.js';
import { aProject, aUser, createTestApp, onEachServer, type TestApp } from '../support/index.js';

onEachServer((server) => {
  let test: TestApp;
  beforeAll(async () => (test = await createTestApp({ server })));
  afterAll(() => test.close());

  const connect = async (user_id: string, project_id?: string) =>
    (await test.call({ path: '/connection', token: await test.token(user_id, project_id) })).body;

  describe('GET /connection', () => {
    it('returns exactly the fields of the API', async () => {
      const body = await connect(aUser());
      expect(Object.keys(body)).toEqual([
        'status',
        'session',
        'avatars_info',
        'languages',
        'chat_types',
        'messageTimeoutSeconds',
        'stopSpeakingTimeoutSeconds',
        'vadEnabled',
        'voiceModeSelector',
      ]);
      expect(body).toMatchObject({
        status: 200,
        session: expect.stringMatching(/^[A-Za-z0-9_-]{22}$/),
        chat_types: ['text', 'voice', 'video'],
        messageTimeoutSeconds: 30,
        stopSpeakingTimeoutSeconds: 0.7,
        vadEnabled: true,
        voiceModeSelector: true,
      });
      expect(body.avatars_info).toHaveLength(3);
      expect(body.languages).toHaveLength(8);
      const url = expect.stringMatching(/^http:\/\/chat\.test\/assets\//);
      for (const avatar of body.avatars_info) {
        expect(avatar).toEqual({
          _id: expect.stringMatching(/^[a-z]+$/),
          name: expect.any(String),
          greetingText: expect.stringMatching(/\w/),
          hasLiveMode: expect.any(Boolean),
          previewIcons: { small: url, medium: url, large: url },
          startButtonIcon: url,
          idleVideo: url,
        });
      }
      for (const language of body.languages) {
        expect(language).toEqual({
          name: expect.any(String),
          language_code: expect.stringMatching(/^[a-z]{2}$/),
          icon_url: url,
        });
      }
    });

    it('names only assets that are served, each with its type and caching', async () => {
      const body = await connect(aUser());
      const urls: string[] = JSON.stringify(body).match(/http:\/\/chat\.test\/[^"]+/g) ?? [];
      expect(urls.length).toBeGreaterThanOrEqual(3 * 5 + 8);
      for (const url of new Set(urls)) {
        const { status, headers } = await test.call({ path: new URL(url).pathname });
        expect({ url, status }).toEqual({ url, status: 200 });
        expect(headers['content-type']).toMatch(/^(image|video)\//);
        expect(headers['cache-control']).toMatch(/max-age=\d{4,}/);
      }
    });

    it('opens a new session each time and keeps it, with its owner, for the lifetime of a token', async () => {
      const user_id = aUser();
      const sessions = [(await connect(user_id)).session, (await connect(user_id)).session];
      const kept = await test.app
        .get<Connection>(getConnectionToken())
        .collection('sessions')
        .find({ _id: { $in: sessions }, project_id: 'default', user_id } as object)
        .toArray();
      expect(sessions[0]).not.toBe(sessions[1]);
      expect(kept).toHaveLength(2);
      for (const session of kept) {
        expect(session).toMatchObject({
          project_id: 'default',
          user_id,
          expires_at: new Date(test.clock.now() + 86_400_000),
        });
      }
    });

    it('keeps the newest sessions of a user who opens very many, and those of others', async () => {
      const [ann, bob] = [aUser(), aUser()];
      const kept = test.app.get<Connection>(getConnectionToken()).collection('sessions');
      const ofAnn = { project_id: 'default', user_id: ann };
      const other = (await connect(bob)).session as string;
      const token = await test.token(ann);
      const opened: string[] = [];
      for (let n = 0; n < 200; n++) {
        test.clock.advance(1);
        opened.push((await test.call({ path: '/connection', token })).body.session);
      }
      while ((await kept.countDocuments(ofAnn)) > 100) await new Promise((resolve) => setTimeout(resolve, 20));
      const left = (await kept.find(ofAnn).toArray()).map(({ _id }) => String(_id));
      expect(left.sort()).toEqual(opened.slice(100).sort());
      expect(await kept.countDocuments({ project_id: 'default', user_id: bob, _id: other as never })).toBe(1);
    });

    it('offers what the project of the token offers, in its order', async () => {
      const project_id = aProject();
      const settings = {
        chat_types: ['text'],
        messageTimeoutSeconds: 5,
        stopSpeakingTimeoutSeconds: 0.5,
        vadEnabled: false,
        voiceModeSelector: false,
      };
      const project = { project_id, avatars: ['mira', 'ada'], languages: ['fr', 'en'], settings };
      await test.app.get(CatalogueService).apply(JSON.stringify({ projects: [project] }));
      const body = await connect(aUser(), project_id);
      expect(body).toMatchObject(settings);
      expect(body.avatars_info.map(({ _id }: { _id: string }) => _id)).toEqual(['mira', 'ada']);
      expect(body.languages.map(({ language_code }: { language_code: string }) => language_code)).toEqual(['fr', 'en']);
    });

    it('greets in the language that Accept-Language prefers, and names it', async () => {
      const token = await test.token(aUser());
      const greetings = async (header?: string) => {
        const headers: Record<string, string> = header === undefined ? {} : { 'accept-language': header };
        const answer = await test.call({ path: '/connection', token, headers });
        expect(answer.headers['vary']).toBe('Accept-Language');
        return {
          language: answer.headers['content-language'],
          texts: answer.body.avatars_info.map(({ greetingText }: { greetingText: string }) => greetingText),
        };
      };
      const english = await greetings();
      expect(english.language).toBe('en');
      expect(await greetings('tlh, *;q=0.1')).toEqual(english);
      const german = await greetings('de-AT, en;q=0.5');
      expect(german).toEqual({
        language: 'de',
        texts: expect.arrayContaining([expect.stringContaining('ich bin Ada')]),
      });
      expect(await greetings('en; q=0, de')).toEqual(german);
      const all = await Promise.all(['en', 'es', 'fr', 'de', 'pt', 'ar', 'hi', 'zh'].map(greetings));
      expect(new Set(all.flatMap(({ texts }) => texts)).size).toBe(3 * 8);
    });

    it('greets in the first language of a project without the header, and returns its code', async () => {
      const project_id = aProject();
      const language = { name: 'Deutsch', language_code: 'de-CH', icon_url: '/assets/languages/de.svg' };
      const project = { project_id, avatars: ['ada'], languages: ['fr', 'de-CH'] };
      await test.app.get(CatalogueService).apply(JSON.stringify({ languages: [language], projects: [project] }));
      const token = await test.token(aUser(), project_id);
      const french = await test.call({ path: '/connection', token });
      expect(french.headers['content-language']).toBe('fr');
      expect(french.body.avatars_info[0].greetingText).toContain('je suis Ada');
      const german = await test.call({ path: '/connection', token, headers: { 'accept-language': 'DE' } });
      expect(german.headers['content-language']).toBe('de-CH');
      expect(german.body.avatars_info[0].greetingText).toContain('ich bin Ada');
    });

    it('returns a change of the catalogue at once, and absolute URLs unchanged', async () => {
      const catalogue = test.app.get(CatalogueService);
      const project_id = aProject();
      const avatar = {
        _id: project_id,
        name: 'Zoë',
        greetingText: 'Hé',
        greetings: { sv: 'Hej' },
        hasLiveMode: true,
        previewIcons: { small: 'https://cdn.test/s.png', medium: '/assets/m.png', large: 'https://cdn.test/l.png' },
        startButtonIcon: 'https://cdn.test/b.png',
        idleVideo: 'https://cdn.test/v.mp4',
        engine: { kind: 'scripted', script: 'ada' },
        voice: { rate: 1.5 },
      };
      await catalogue.apply(
        JSON.stringify({ avatars: [avatar], projects: [{ project_id, avatars: [project_id], languages: [] }] }),
      );
      const body = await connect(aUser(), project_id);
      expect(JSON.parse(await catalogue.export()).avatars).toContainEqual(avatar);
      const { engine: _engine, voice: _voice, greetings: _greetings, ...shown } = avatar;
      expect(body.avatars_info).toEqual([
        { ...shown, previewIcons: { ...avatar.previewIcons, medium: 'http://chat.test/assets/m.png' } },
      ]);
    });

    it('refuses the token of a project that has been removed', async () => {
      const catalogue = test.app.get(CatalogueService);
      const project_id = aProject();
      await catalogue.addProject(project_id);
      const token = await test.token(aUser(), project_id);
      expect((await test.call({ path: '/connection', token })).status).toBe(200);
      expect(await catalogue.removeProject(project_id)).toBe(true);
      expect(await test.call({ path: '/connection', token })).toMatchObject({
        status: 401,
        body: { error: 'project_not_found' },
      });
    });

    it('cannot remove the default project', async () => {
      expect(await test.app.get(CatalogueService).removeProject('default')).toBe(false);
      expect((await test.call({ path: '/connection', token: await test.token(aUser()) })).status).toBe(200);
    });
  });

  it('returns a change by another process', async () => {
    const other = await createTestApp({
      server,
      config: { database: test.config.database, jwtSecret: test.config.jwtSecret },
      clock: test.clock,
    });
    try {
      const project_id = aProject();
      await other.app.get(CatalogueService).addProject(project_id);
      const token = await other.token(aUser(), project_id);
      expect((await test.call({ path: '/connection', token })).status).toBe(200);
      await other.app
        .get(CatalogueService)
        .apply(JSON.stringify({ projects: [{ project_id, avatars: [], languages: ['en'] }] }));
      const seen = async () => (await test.call({ path: '/connection', token })).body.avatars_info.length === 0;
      while (!(await seen())) await new Promise((resolve) => setTimeout(resolve, 50));
    } finally {
      await other.app.close();
    }
  });
});
