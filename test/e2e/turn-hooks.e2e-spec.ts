import { Injectable, Module } from '@nestjs/common';
import { TurnHooks } from '../../src/chat/turns/turn.hooks.js';
import { type EngineTurn } from 'avatar-chat-models';
import {
  AfterTurn,
  type AfterTurnResult,
  BeforeTurn,
  type BeforeTurnResult,
  CatalogueService,
} from '../../src/index.js';
import { MAX_ANSWER } from '../../src/messages/index.js';
import { PUPPET, PuppetEngine, PuppetModule } from '../support/engines.js';
import { anyServer, aProject, aUser, createTestApp, type TestApp } from '../support/index.js';
import { LiveClient } from '../support/live-client.js';

const REFUSAL = 'We do not talk about that.';

/** Does what the request says. */
@Injectable()
class Gate extends BeforeTurn {
  override readonly order = 1;
  async beforeTurn({ request }: EngineTurn): Promise<BeforeTurnResult> {
    if (request.includes('forbidden')) return { refuse: REFUSAL };
    if (request.includes('gate throws')) throw new Error('SECRET-WORDS');
    if (request.includes('gate hangs')) await new Promise(() => undefined);
    if (request.includes('gate lies')) return { refuse: 7 as never };
    return request.includes('known') ? { context: 'From the gate.' } : undefined;
  }
}
@Injectable()
class Library extends BeforeTurn {
  beforeTurn({ request }: EngineTurn): BeforeTurnResult {
    return { context: request.includes('known') ? `From the library. x${'🙂'.repeat(10_000)}` : '' };
  }
}
@Injectable()
class Reader extends AfterTurn {
  override wants = ({ request }: EngineTurn) => request.includes('read');
  async afterTurn({ request }: EngineTurn, answer: string): Promise<AfterTurnResult> {
    if (request.includes('replace')) return { replace: answer.replace('You', 'They') };
    if (request.includes('shorten')) return { replace: 'In short.' };
    if (request.includes('withhold')) return { withhold: true };
    if (request.includes('reader throws')) throw new Error('SECRET-WORDS');
    if (request.includes('reader hangs')) await new Promise(() => undefined);
    return undefined;
  }
}

@Module({ providers: [Gate, Library, Reader] })
class HooksModule {}

let test: TestApp;
let port: number;
let puppet: PuppetEngine;
const project_id = aProject();

beforeAll(async () => {
  test = await createTestApp({ server: anyServer(), modules: [PuppetModule, HooksModule] });
  port = await test.listen();
  puppet = test.app.get(PuppetEngine);
  Object.assign(test.app.get(TurnHooks), { timeoutMs: 300 });
  const project = { project_id, avatars: ['puppet'], languages: ['en'], settings: { messageTimeoutSeconds: 2 } };
  await test.app
    .get(CatalogueService)
    .apply(JSON.stringify({ avatars: [{ ...PUPPET, hasLiveMode: true }], projects: [project] }));
});
afterAll(() => test.close());

/** A user who says one thing, and what is stored of it. */
async function saying(request: string, headers: Record<string, string> = {}) {
  const user_id = aUser();
  const token = await test.token(user_id, project_id);
  const said = () =>
    test.call({ method: 'POST', path: '/chat', token, headers, body: { avatar_id: 'puppet', request } });
  const stored = async () => (await test.call({ path: `/chat?user_id=${user_id}`, token })).body.payload.reverse();
  return { user_id, token, said, stored };
}
const askedOf = (user_id: string) => puppet.asked.filter((turn) => turn.user_id === user_id);

it('a hook before a turn refuses, and the engine is not asked', async () => {
  const { said, stored, user_id } = await saying('something forbidden');
  expect(await said()).toMatchObject({ status: 201, body: { incoming: { answer: REFUSAL } } });
  expect(await stored()).toMatchObject([{ request: 'something forbidden' }, { answer: REFUSAL }]);
  expect(askedOf(user_id)).toEqual([]);
});

it('a hook without a result adds no context', async () => {
  const { said, user_id } = await saying('something else');
  expect(await said()).toMatchObject({ status: 201 });
  expect(askedOf(user_id)).toEqual([expect.not.objectContaining({ context: expect.anything() })]);
});

it('hooks before a turn pass context to the engine, in order and within limits', async () => {
  const { said, user_id } = await saying('a known thing');
  await said();
  const [{ context = '' }] = askedOf(user_id) as [EngineTurn];
  expect(context).toMatch(/^From the library\. x🙂+\ufffd$/u);
  expect(context).toHaveLength(16_000);
});

it.each([
  ['throws before a turn', 'gate throws'],
  ['hangs before a turn', 'gate hangs'],
  ['refuses without a text', 'gate lies'],
  ['throws after a turn', 'read, reader throws'],
  ['hangs after a turn', 'read, reader hangs'],
  ['withholds the answer', 'read, withhold'],
])("a hook that %s fails the turn: nothing is sent, the user's message stays", async (_, request) => {
  const { said, stored } = await saying(request);
  expect(await said()).toMatchObject({ status: 502, body: { error: 'engine_failed' } });
  expect(await stored()).toMatchObject([{ direction: 'outgoing', request }]);
});

it('a hook after a turn changes the answer; of a stream nothing is sent before', async () => {
  const { said, stored } = await saying('read and replace', { accept: 'text/event-stream' });
  const { text } = await said();
  const deltas = text.split('\n').filter((line: string) => line.startsWith('data: {"text"'));
  expect(deltas).toEqual(['data: {"text":"They said: read and replace"}']);
  expect(await stored()).toMatchObject([{}, { answer: 'They said: read and replace' }]);
});

it.each([
  ['is empty', 'nothing to read', 502, 'engine_failed'],
  ['times out', 'hang and read', 504, 'answer_timeout'],
])('a buffered answer that %s fails as usual', async (_, request, status, error) => {
  const { said } = await saying(request);
  expect(await said()).toMatchObject({ status, body: { error } });
});

it('a buffered answer is cut at the usual limit, and its engine stopped', async () => {
  const { said } = await saying('flood to read');
  const { body } = await said();
  expect(body.incoming.answer).toBe('x'.repeat(MAX_ANSWER));
});

it('a hook after a turn may shorten an answer that was cut, which still counts as an answer', async () => {
  const answered = async () => {
    const { text } = await test.call({ path: '/metrics' });
    return Number(/^chat_answers_total\{engine="puppet",.*outcome="answered"\} (\d+)$/m.exec(text)?.[1] ?? 0);
  };
  const before = await answered();
  const { said, stored } = await saying('flood to read and shorten');
  expect(await said()).toMatchObject({ status: 201, body: { incoming: { answer: 'In short.' } } });
  expect(await stored()).toMatchObject([{}, { answer: 'In short.' }]);
  expect(await answered()).toBe(before + 1);
});

it('a hook after a turn reads every answer by default', () => {
  class Watcher extends AfterTurn {
    afterTurn = () => undefined;
  }
  expect(new Watcher().wants({} as EngineTurn)).toBe(true);
});

it('an answer that no hook wants to read is streamed as usual', async () => {
  const { said } = await saying('hello', { accept: 'text/event-stream' });
  const { text } = await said();
  expect(text.match(/^event: delta$/gm)).toHaveLength(2);
});

it('hooks also run in live conversations', async () => {
  const { token, stored } = await saying('');
  const client = await LiveClient.open(port, 'model=puppet', token);
  client.send({ type: 'session.update', session: { type: 'realtime', output_modalities: ['text'] } });
  for (const [index, request] of ['something forbidden', 'read and replace'].entries()) {
    client.say(request);
    while (client.events.filter(({ type }) => type === 'response.done').length <= index)
      await client.next('response.done', client.events.length);
  }
  expect((await stored()).filter(({ answer }: { answer?: string }) => answer)).toMatchObject([
    { answer: REFUSAL },
    { answer: 'They said: read and replace' },
  ]);
  client.socket.close();
});

it('an engine gets the message that it answers, its session, and the number of attempts', async () => {
  const { said, user_id, token } = await saying('fail-once please', { 'Idempotency-Key': 'k1' });
  const [first, second] = [await said(), await said()];
  expect([first.status, second.status]).toEqual([502, 201]);
  const message_id = second.body.outgoing._id;
  expect(askedOf(user_id)).toMatchObject([
    { message_id, attempt: 1 },
    { message_id, attempt: 2 },
  ]);
  expect(askedOf(user_id)[0]).not.toHaveProperty('session');
  const { session } = (await test.call({ path: '/connection', token })).body;
  await test.call({ method: 'POST', path: '/chat', token, body: { avatar_id: 'puppet', request: 'hi', session } });
  expect(askedOf(user_id).at(-1)).toMatchObject({ session, attempt: 1 });
  // Clients see none of that.
  expect(Object.keys(second.body.outgoing)).not.toContain('repeats');
});
