import { CatalogueService, ChatService } from '../../src/index.js';
import { FileService } from '../../src/files/index.js';
import { MessageRetention } from '../../src/chat/message.retention.js';
import { anOwner, aProject, aTurn, createTestApp, onEachServer, type TestApp } from '../support/index.js';

const DAY = 86_400_000;

onEachServer((server) => {
  let test: TestApp;
  beforeAll(async () => (test = await createTestApp({ server })));
  afterAll(() => test.close());

  describe('the retention of a project', () => {
    it('removes what is older, with its files, and nothing else', async () => {
      const [days, forever] = [aProject(), aProject()];
      const project = { avatars: ['ada'], languages: ['en'] };
      await test.app.get(CatalogueService).apply(
        JSON.stringify({
          projects: [
            { ...project, project_id: days, settings: { retentionDays: 30 } },
            { ...project, project_id: forever },
          ],
        }),
      );
      const chat = test.app.get(ChatService);
      const [kept, swept] = [anOwner({ project_id: forever }), anOwner({ project_id: days })];
      for (const owner of [kept, swept]) await chat.record(aTurn({ owner, request: 'old' }));
      const token = await test.token(swept.user_id, days);
      const spoken = await test.call({
        method: 'POST',
        path: '/chat',
        token,
        body: { avatar_id: 'ada', request: 'Hello', chat_type: 'voice' },
      });
      const file = new URL(spoken.body.incoming.fileUrl).pathname.split('/').at(-1)!;
      test.clock.advance(20 * DAY);
      for (const owner of [kept, swept]) await chat.record(aTurn({ owner, request: 'new' }));
      test.clock.advance(10 * DAY + 1000);
      const requests = async (owner: typeof kept) =>
        (await chat.page(owner, { limit: 100 })).payload.map(({ request }) => request);
      const sweeper = test.app.get(MessageRetention);
      const removed = await Promise.all([sweeper.sweep(), sweeper.sweep()]);
      expect(removed[0]! + removed[1]!).toBe(4);
      expect(await requests(kept)).toEqual(['new', 'new', 'old', 'old']);
      expect(await requests(swept)).toEqual(['new', 'new']);
      expect(await test.app.get(FileService, { strict: false }).find(file)).toBeUndefined();
      expect(await sweeper.sweep()).toBe(0);
    });
  });
});
