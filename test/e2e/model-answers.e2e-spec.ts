import { CatalogueService } from '../../src/index.js';
import { PUPPET } from '../support/engines.js';
import { FakeRealtime } from '../support/fake-realtime.js';
import { anyServer, aProject, aUser, createTestApp, type TestApp } from '../support/index.js';
import { LiveClient } from '../support/live-client.js';
import { ModelStub } from '../../src/testing/index.js';

const project_id = aProject();
const clients: LiveClient[] = [];
let test: TestApp;
let port: number;
let model: ModelStub;
let upstream: FakeRealtime;

beforeAll(async () => {
  [model, upstream] = await Promise.all([new ModelStub().start(), new FakeRealtime().start()]);
  test = await createTestApp({ server: anyServer(), config: { liveSessions: 8 } });
  port = await test.listen();
  const avatar = (_id: string, engine: object, more = {}) => ({ ...PUPPET, _id, hasLiveMode: true, engine, ...more });
  const realtime = { kind: 'openai-realtime', base_url: upstream.base_url, model: 'r' };
  await test.app.get(CatalogueService).apply(
    JSON.stringify({
      avatars: [
        avatar('ann', model.entry()),
        avatar('thinker', model.entry({ reasoning: true })),
        avatar('careless', model.entry(), { care: false }),
        avatar('echo', realtime),
      ],
      projects: [
        {
          project_id,
          avatars: ['ann', 'thinker', 'careless', 'echo'],
          languages: ['en', 'de', 'zh'],
          speech: { speaker: { kind: 'espeak' }, transcriber: { kind: 'none' } },
        },
      ],
    }),
  );
});
beforeEach(() => {
  model.answer = () => ['Hello.'];
  model.requests.length = upstream.received.length = 0;
});
afterEach(() => {
  for (const client of clients.splice(0)) client.socket.terminate();
});
afterAll(async () => {
  await test.close();
  model.stop();
  upstream.stop();
});

async function aTalker(avatar_id = 'ann') {
  const user_id = aUser();
  const token = await test.token(user_id, project_id);
  const body = (request: string, more: object) => ({ avatar_id, request, chat_type: 'text', ...more });
  const say = (request: string, more: object = {}) =>
    test.call({ method: 'POST', path: '/chat', token, body: body(request, more) });
  /** The events of a streamed turn. */
  const stream = async (request: string, more: object = {}) => {
    const headers = { accept: 'text/event-stream' };
    const { text } = await test.call({ method: 'POST', path: '/chat', token, headers, body: body(request, more) });
    const events = [...text.matchAll(/^event: (\w+)\ndata: (.*)$/gm)].map(([, event, data]) => ({
      event: event!,
      data: JSON.parse(data!),
    }));
    return (name: string) => events.filter(({ event }) => event === name).map(({ data }) => data);
  };
  const live = async (query = '') => {
    const client = await LiveClient.open(port, `model=${avatar_id}${query}`, token);
    clients.push(client);
    return client;
  };
  const stored = async () =>
    (await test.call({ path: `/chat?user_id=${user_id}&per_page=100`, token })).body.payload
      .filter(({ direction }: { direction: string }) => direction === 'incoming')
      .map(({ answer }: { answer: string }) => answer);
  return { user_id, token, say, stream, live, stored };
}

describe('the reasoning of a model', () => {
  it('is neither streamed, stored nor sent in a later prompt', async () => {
    const { stream, say, stored } = await aTalker();
    model.answer = () => ['<th', 'ink>They greet', ' me.</thi', 'nk>\n\n', 'Hello', ' there.'];
    const events = await stream('hi');
    expect(events('delta').map(({ text }) => text)).toEqual(['Hello', ' there.']);
    expect(events('incoming')[0].answer).toBe('Hello there.');
    await say('and now?');
    expect(await stored()).toEqual(['Hello there.', 'Hello there.']);
    expect(JSON.stringify(model.requests)).not.toContain('They greet');
  });

  it('that lacks its start is gone from what is stored and sent later, though it was streamed', async () => {
    const { stream, stored } = await aTalker();
    model.answer = () => ['They greet', ' me.</think>', 'Hello.'];
    const events = await stream('hi');
    expect(events('delta').map(({ text }) => text)).toEqual(['They greet', 'Hello.']);
    expect(events('incoming')[0].answer).toBe('Hello.');
    expect(await stored()).toEqual(['Hello.']);
    const thinker = await aTalker('thinker');
    const held = await thinker.stream('hi');
    expect(held('delta').map(({ text }) => text)).toEqual(['Hello.']);
  });

  it('alone is no answer', async () => {
    const { say, stream, stored } = await aTalker();
    model.answer = () => ['<think>They greet me.</think>'];
    expect(await say('hi')).toMatchObject({ status: 502, body: { error: 'engine_failed' } });
    model.answer = () => ['They greet me.</think>'];
    expect((await stream('hi'))('error')).toHaveLength(1);
    expect(await stored()).toEqual([]);
  });

  it('is not spoken', async () => {
    const { stream, stored, token } = await aTalker();
    model.answer = () => ['They greet me. I should answer.', '</think>', 'Hello there. How are you?'];
    const events = await stream('hi', { chat_type: 'voice' });
    const sentences = events('audio').map(({ index, text }) => [index, text]);
    expect(sentences.slice(-2)).toEqual([
      [0, 'Hello there.'],
      [1, 'How are you?'],
    ]);
    const whole = events('audio').slice(-2);
    const details = events('incoming')[0].fileUrl.replace('http://chat.test', '').replace('?', '/details?');
    expect((await test.call({ path: details, token })).body.seconds).toBeCloseTo(whole[1].start + whole[1].seconds, 2);
    expect(await stored()).toEqual(['Hello there. How are you?']);
  });

  it('is not part of a live answer', async () => {
    const { live, stored } = await aTalker();
    model.answer = () => ['They greet me. I', ' wonder.', '</think>', 'Hello there. Welcome!'];
    const client = await live();
    const done = await client.answer('hi');
    expect(done.response.status).toBe('completed');
    expect(done.response.output[0].content[0].transcript).toBe('Hello there. Welcome!');
    expect(await stored()).toEqual(['Hello there. Welcome!']);
    model.answer = () => ['They greet me.', '</think>'];
    expect((await client.answer('hi')).response.status).toBe('failed');
    expect(await stored()).toEqual(['Hello there. Welcome!']);
  });
});

describe('words of danger', () => {
  it.each([
    ['en', 'I want to kill myself', /emergency number/],
    ['de', 'I want to kill myself', /Notruf/],
    ['zh', '我不想活了', /[\u4e00-\u9fff]/],
  ])(
    'are answered by the script, in the language of the turn, before a model is asked: %s',
    async (language_code, request, answer) => {
      const { say } = await aTalker();
      const { body } = await say(request, { language_code });
      expect(body.incoming.answer).toMatch(answer);
      expect(model.requests).toEqual([]);
      expect((await say('How far is the moon?', { language_code })).body.incoming.answer).not.toMatch(answer);
    },
  );

  it('go to the model where the avatar says so', async () => {
    model.answer = () => ['Talk to me.'];
    const { say } = await aTalker('careless');
    expect((await say('I want to kill myself')).body.incoming.answer).toBe('Talk to me.');
  });

  it('are answered by the script in live conversations too, of whatever kind', async () => {
    for (const avatar_id of ['ann', 'echo']) {
      const { live, stored } = await aTalker(avatar_id);
      const client = await live();
      client.send({ type: 'session.update', session: { output_modalities: ['text'] } });
      const { response } = await client.answer('I want to kill myself');
      expect(response.output[0].content[0].text).toMatch(/emergency number/);
      expect(await stored()).toEqual([expect.stringMatching(/emergency number/)]);
    }
    expect([model.requests.length, upstream.of('response.create').length]).toEqual([0, 0]);
    const { live } = await aTalker('echo');
    const client = await live();
    client.say('I want to kill myself');
    await client.next('response.output_audio.delta');
    expect(upstream.of('response.create')).toEqual([]);
    // What was said is told with the next response.
    expect(upstream.of('conversation.item.create')).toEqual([]);
  });
});
