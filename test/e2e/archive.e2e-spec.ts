import { getModelToken } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import { ErasureService } from '../../src/erasure/index.js';
import { contentId, type ImportedMessage, MessageArchive } from '../../src/messages/index.js';
import { ChatService } from '../../src/index.js';
import { anOwner, aProject, aTurn, aUser, createTestApp, onEachServer, type TestApp } from '../support/index.js';

function aMessage(message: Partial<ImportedMessage> = {}): ImportedMessage {
  return {
    _id: `m-${aUser()}`,
    project_id: 'default',
    user_id: aUser(),
    direction: 'outgoing',
    request: 'How far is the moon?',
    avatar_id: 'ada',
    date: 1_700_000_000_000,
    chat_type: 'text',
    language_code: 'en',
    ...message,
  };
}

onEachServer((server) => {
  let test: TestApp;
  let archive: MessageArchive;
  let erasure: ErasureService;
  beforeAll(async () => {
    test = await createTestApp({ server });
    archive = test.app.get(MessageArchive);
    erasure = test.app.get(ErasureService, { strict: false });
  });
  afterAll(() => test.close());

  const history = async (user_id: string) => {
    const token = await test.token(user_id);
    return (await test.call({ path: `/chat?user_id=${user_id}`, token })).body.payload;
  };
  const exported = async (user_id: string) => {
    const messages = [];
    for await (const message of archive.export(anOwner({ user_id }))) messages.push(message);
    return messages;
  };

  it('returns through GET /chat what it imported, byte for byte', async () => {
    const user_id = aUser();
    const odd = 'a\0b\u2028\uFEFF é e\u0301 🌒 "\\\n</script>';
    const messages = [
      aMessage({ user_id, request: odd, date: 0 }),
      aMessage({
        user_id,
        direction: 'incoming',
        request: '',
        answer: odd,
        avatar_name: 'Gone',
        avatar_id: 'gone',
        date: 1,
      }),
      aMessage({ user_id, chat_type: 'voice', fileUrl: 'https://a.example/b?c=%20#d', date: 2 ** 31 }),
      aMessage({ user_id, request: '🌒'.repeat(8000), date: 8_640_000_000_000_000 }),
    ];
    expect(await archive.add(messages)).toEqual(['new', 'new', 'new', 'new']);
    expect(await history(user_id)).toEqual(messages.reverse().map(({ project_id: _, ...message }) => message));
  });

  it('adds nothing when the same message is imported again, even in the same batch', async () => {
    const message = aMessage();
    expect(await archive.add([message, { ...message }])).toEqual(['new', 'stored']);
    expect(await archive.add([message])).toEqual(['stored']);
    expect(await history(message.user_id)).toHaveLength(1);
  });

  it.each<[string, Partial<ImportedMessage>]>([
    ['of another time', { date: 1 }],
    ['of another user', { user_id: 'someone-else' }],
    ['of another project', { project_id: 'another' }],
    ['with a file', { fileUrl: 'http://a.example/b' }],
  ])('refuses the identifier of a message %s', async (_, other) => {
    const message = aMessage();
    expect(await archive.add([message, { ...message, ...other }])).toEqual(['new', 'taken']);
    expect(await archive.add([{ ...message, ...other }])).toEqual(['taken']);
    expect(await history(message.user_id)).toEqual([expect.objectContaining({ date: message.date })]);
  });

  it('derives the identifier of a message without one from its content, the same in every release', () => {
    const { _id, ...message } = aMessage({ user_id: 'ann' });
    expect(contentId(message)).toBe('b99af48ac90c61950c62fbc9');
    expect(contentId({ ...message, request: 'x' })).not.toBe(contentId(message));
  });

  it('is paged by time, whatever the identifiers', async () => {
    const user_id = aUser();
    const ids = ['c', 'a', 'd', 'b'].map((letter) => `${letter}-${user_id}`);
    await archive.add(ids.map((_id, date) => aMessage({ _id, user_id, date })));
    expect((await history(user_id)).map(({ _id }: ImportedMessage) => _id)).toEqual(ids.toReversed());
    const token = await test.token(user_id);
    const { body } = await test.call({ path: `/chat?user_id=${user_id}&before=${ids[3]}`, token });
    expect(body.payload.map(({ _id }: ImportedMessage) => _id)).toEqual(ids.slice(0, 3).toReversed());
  });

  it('counts messages, users and turns of a project since a date', async () => {
    const project_id = aProject();
    const [ann, ben] = [aUser(), aUser()];
    const of = (user_id: string, date: number, message: Partial<ImportedMessage> = {}) =>
      aMessage({ project_id, user_id, date, ...message });
    expect(await archive.count(project_id, 0, 1000)).toEqual({ messages: 0, users: 0, turns: 0 });
    await archive.add([
      of(ann, 1),
      of(ann, 2, { direction: 'incoming', answer: 'x' }),
      of(ann, 3, { direction: 'incoming', request: '', answer: 'A greeting' }),
      of(ben, 4),
      of(ben, 5, { direction: 'incoming', answer: 'x' }),
      aMessage({ user_id: ben, date: 6 }),
    ]);
    expect(await archive.count(project_id, 1, 1000)).toEqual({ messages: 5, users: 2, turns: 2 });
    expect(await archive.count(project_id, 4, 1000)).toEqual({ messages: 2, users: 1, turns: 1 });
  });

  it('has a dry run that changes nothing', async () => {
    const message = aMessage();
    expect(await archive.check([message, { ...message, date: 1 }])).toEqual(['new', 'taken']);
    expect(await history(message.user_id)).toEqual([]);
    await archive.add([message]);
    expect(await archive.check([message, { ...message, date: 1 }])).toEqual(['stored', 'taken']);
  });

  it('stores each message once when several imports run concurrently', async () => {
    const user_id = aUser();
    const messages = Array.from({ length: 300 }, (_, date) => aMessage({ user_id, date }));
    const outcomes = await Promise.all([
      archive.add(messages),
      archive.add([...messages].reverse()),
      archive.add(messages),
    ]);
    expect(outcomes.flat().filter((outcome) => outcome === 'new')).toHaveLength(300);
    expect(outcomes.flat().filter((outcome) => outcome === 'stored')).toHaveLength(600);
    expect((await exported(user_id)).map(({ date }) => date)).toEqual(messages.map(({ date }) => date));
  });

  it('reports the outcome of each message, even if another import has stored some of them meanwhile', async () => {
    for (let round = 0; round < 5; round++) {
      const messages = Array.from({ length: 300 }, (_, date) => aMessage({ date }));
      const [ours, theirs] = [messages.slice(0, 200), messages.slice(100)];
      const [one, two] = await Promise.all([archive.add(ours), archive.add(theirs)]);
      expect([one.slice(0, 100), two.slice(100)].flat().filter((outcome) => outcome !== 'new')).toEqual([]);
      expect([one.slice(100), two.slice(0, 100)].flat().sort()).toEqual([
        ...Array.from({ length: 100 }, () => 'new'),
        ...Array.from({ length: 100 }, () => 'stored'),
      ]);
    }
  });

  it('reimports what it exported of turns, oldest first, and new turns follow', async () => {
    const owner = anOwner();
    const chat = test.app.get(ChatService);
    await chat.record(aTurn({ owner }));
    await chat.record(aTurn({ owner, request: 'And the sun?' }));
    const before = await exported(owner.user_id);
    expect(before.map(({ direction }) => direction)).toEqual(['outgoing', 'incoming', 'outgoing', 'incoming']);
    expect(before.every(({ project_id }) => project_id === 'default')).toBe(true);
    expect(await archive.add(before)).toEqual(['stored', 'stored', 'stored', 'stored']);
    expect(await erasure.eraseUser(owner)).toMatchObject({ messages: 4 });
    expect(await exported(owner.user_id)).toEqual([]);
    expect(await archive.add(before)).toEqual(['new', 'new', 'new', 'new']);
    expect(await exported(owner.user_id)).toEqual(before);
    const { outgoing } = await chat.record(aTurn({ owner }));
    expect(outgoing.date).toBeGreaterThan(before.at(-1)!.date);
  });

  it('recognizes a message whose file URL has changed', async () => {
    const message = aMessage();
    await archive.add([message]);
    const messages = test.app.get<Model<object>>(getModelToken('MessageDocument'));
    const { _id, project_id, user_id } = message;
    await messages.updateOne({ _id, project_id, user_id }, { file_id: 'f'.repeat(24) });
    const [out] = await exported(message.user_id);
    expect(out?.fileUrl).toMatch(/^http:\/\/chat\.test\/files\/f{24}\?/);
    expect(await archive.add([{ ...out!, fileUrl: `${out!.fileUrl}0` }])).toEqual(['stored']);
    expect(await archive.add([{ ...out!, request: 'Another' }])).toEqual(['taken']);
  });

  it('erases one user of one project, and nobody else', async () => {
    const [mine, other] = [aMessage(), aMessage()];
    const sameUserElsewhere = aMessage({ user_id: mine.user_id, project_id: 'another' });
    await archive.add([mine, other, sameUserElsewhere]);
    expect(await erasure.eraseUser(anOwner({ user_id: mine.user_id }))).toMatchObject({ messages: 1 });
    expect(await archive.check([mine, other, sameUserElsewhere])).toEqual(['new', 'stored', 'stored']);
    expect(await erasure.eraseUser(anOwner({ user_id: mine.user_id }))).toMatchObject({ messages: 0 });
  });
});
