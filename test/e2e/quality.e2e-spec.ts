import { AdminService, CatalogueService } from '../../src/index.js';
import { QualityDayDocument } from '../../src/quality/quality.schema.js';
import { getModelToken } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import { Owner } from '../../src/auth/index.js';
import { AdminUsers } from '../../src/admin/index.js';
import { PUPPET, PuppetModule } from '../support/engines.js';
import { aProject, aUser, createTestApp, onEachServer, type TestApp } from '../support/index.js';

const KEY = 'k'.repeat(40);
const DAY_MS = 86_400_000;

onEachServer((server) => {
  let test: TestApp;
  beforeAll(async () => {
    test = await createTestApp({ server, modules: [PuppetModule], config: { adminKey: KEY } });
  });
  afterAll(() => test.close());

  /** A project with an avatar, and helpers to ask it. */
  async function aTalkingProject(settings: object = {}) {
    const project_id = aProject();
    const project = {
      project_id,
      avatars: ['puppet', 'ada'],
      languages: ['en', 'de'],
      settings: { ...settings, messageTimeoutSeconds: 4 },
    };
    await test.app.get(CatalogueService).apply(JSON.stringify({ avatars: [PUPPET], projects: [project] }));
    const user = async (user_id = aUser()) => {
      const token = await test.token(user_id, project_id);
      const say = (request: string, more: object = {}) =>
        test.call({ method: 'POST', path: '/chat', token, body: { avatar_id: 'puppet', request, ...more } });
      return { user_id, say, owner: new Owner(project_id, user_id) };
    };
    const quality = async (query = '') =>
      test.call({ path: `/admin/projects/${project_id}/quality${query}`, token: KEY });
    return { project_id, user, quality };
  }
  const stored = <T>(name: string) => test.app.get<Model<T>>(getModelToken(name), { strict: false });

  describe('the quality of answers', () => {
    it('is counted by avatar and language, and reported without anything users said', async () => {
      const { user, quality } = await aTalkingProject();
      const { say } = await user();
      for (const request of ['hello', 'dodge this', 'dodge that', 'fail', 'nothing']) await say(request);
      await say('dodge', { language_code: 'de' });
      await say('hang');
      await say('Hello!', { avatar_id: 'ada' });
      await say('Where did I park my zeppelin, by the way?', { avatar_id: 'ada' });
      const none = { answered: 0, dodged: 0, failed: 0, refused: 0 };
      expect(await quality()).toMatchObject({
        status: 200,
        headers: { 'cache-control': 'no-store' },
        body: {
          avatars: [
            { ...none, avatar_id: 'ada', language_code: 'en', answered: 1, dodged: 1 },
            { ...none, avatar_id: 'puppet', language_code: 'de', dodged: 1 },
            { ...none, avatar_id: 'puppet', language_code: 'en', answered: 1, dodged: 2, failed: 3 },
          ],
        },
      });
      expect((await quality()).body).not.toHaveProperty('questions');
      const { text } = await test.call({ path: '/metrics' });
      expect(text).toMatch(/^chat_answers_total\{engine="puppet",language_code="de",outcome="dodged"\} 1$/m);
    });

    it('lists the most frequent unanswered questions if the project enables it, as long as their messages exist', async () => {
      const { user, quality } = await aTalkingProject({ unansweredQuestions: true });
      const [ann, bob] = [await user(), await user()];
      await ann.say('dodge Where is the key?');
      await bob.say('DODGE where is the key');
      await bob.say('dodge Where is the key?!');
      await ann.say(`dodge ${'x'.repeat(7_000)}`);
      await bob.say('not dodged');
      const questions = async () => (await quality()).body.questions;
      expect(await questions()).toEqual([
        { avatar_id: 'puppet', language_code: 'en', question: 'dodge Where is the key?!', times: 2 },
        { avatar_id: 'puppet', language_code: 'en', question: `dodge ${'x'.repeat(194)}`, times: 1 },
      ]);
      await test.app.get(AdminService).eraseUser(ann.owner);
      expect(await questions()).toMatchObject([{ question: 'dodge Where is the key?!', times: 1 }]);
    });

    it('keeps questions apart that differ in vowel signs, which are letters and not accents', async () => {
      const { user, quality } = await aTalkingProject({ unansweredQuestions: true });
      const { say } = await user();
      for (const request of ['dodge कल', 'dodge काल', 'dodge café', 'dodge CAFE?']) await say(request);
      const { questions } = (await quality()).body;
      expect(questions.map(({ times }: { times: number }) => times)).toEqual([2, 1, 1]);
    });

    it.each([
      ['How heavy are 1.5 kg?', 'How heavy are 15 kg?'],
      ['Is it open 24/7?', 'Is it open 247?'],
      ['Is it warm at -5 degrees?', 'Is it warm at 5 degrees?'],
      ['What does it cost in €?', 'What does it cost in $?'],
      ['What is C++?', 'What is C#?'],
      ['How much are 5%?', 'How much are 5?'],
    ])('keeps apart “%s” and “%s”, but not other punctuation', async (one, other) => {
      const { user, quality } = await aTalkingProject({ unansweredQuestions: true });
      const { say } = await user();
      for (const request of [one, other, one.replace('?', ' …'), one.replace(' ', ' - ')])
        await say(`dodge ${request}`);
      const { questions } = (await quality()).body;
      expect(questions.map(({ times }: { times: number }) => times)).toEqual([3, 1]);
    });

    it('counts the requested days', async () => {
      const { user, quality } = await aTalkingProject();
      const { user_id, say } = await user();
      await say('hello');
      test.clock.advance(3 * DAY_MS);
      const { say: later } = await user(user_id);
      await later('hello again');
      expect((await quality('?days=3')).body.avatars).toMatchObject([{ answered: 1 }]);
      expect((await quality('?days=4')).body.avatars).toMatchObject([{ answered: 2 }]);
      for (const days of ['0', 'x', '10000', '1.5'])
        expect(await quality(`?days=${days}`)).toMatchObject({ status: 400, body: { error: 'invalid_days' } });
    });

    it('counts answers and questions of the same days, which begin at midnight in UTC', async () => {
      const { user, quality } = await aTalkingProject({ unansweredQuestions: true });
      const { say } = await user();
      test.clock.advance(DAY_MS - (test.clock.now() % DAY_MS) - 1000);
      await say('dodge yesterday');
      test.clock.advance(2000);
      await say('dodge today');
      const { avatars, questions } = (await quality('?days=1')).body;
      expect(avatars).toMatchObject([{ dodged: 1 }]);
      expect(questions).toMatchObject([{ question: 'dodge today' }]);
    });

    it('is removed with its project, and with all of its users', async () => {
      const days = stored<QualityDayDocument>(QualityDayDocument.name);
      const kept = (project_id: string) => days.collection.countDocuments({ project_id });
      for (const remove of [
        (project_id: string) => test.app.get(AdminService).removeProject(project_id),
        (project_id: string) => test.app.get(AdminUsers).eraseAll(project_id),
      ]) {
        const { project_id, user, quality } = await aTalkingProject();
        const { say } = await user();
        await say('hello');
        expect((await quality()).body.avatars).toHaveLength(1);
        await say('hello again');
        expect(await kept(project_id)).toBe(1);
        await remove(project_id);
        expect(await kept(project_id)).toBe(0);
      }
    });

    it('of an unknown project is an error', async () => {
      expect(await test.call({ path: '/admin/projects/none/quality', token: KEY })).toMatchObject({
        status: 404,
        body: { error: 'project_not_found' },
      });
    });
  });
});
