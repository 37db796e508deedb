import { setTimeout as delay } from 'node:timers/promises';
import { getConnectionToken } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { ErasureFences } from '../../src/erasure/index.js';
import { Events, SignalRepository, Signals } from '../../src/events/index.js';
import { ConversationRepository } from '../../src/handover/index.js';
import { CatalogueService, ChatService, DatabaseUnavailableError, Owner } from '../../src/index.js';
import { MessageRecorder, MessageRepository } from '../../src/messages/index.js';
import { newId } from '../../src/platform/database/index.js';
import { SpeechService } from '../../src/speech/index.js';
import { ModelStub } from '../../src/testing/index.js';
import { PUPPET, PuppetEngine, PuppetModule } from '../support/engines.js';
import {
  aProject,
  aTurn,
  aUser,
  type Call,
  createTestApp,
  EventReader,
  onEachServer,
  type Receiver,
  startReceiver,
  storedMessages,
  type TestApp,
} from '../support/index.js';

const ADMIN_KEY = 'k'.repeat(40);
const ANN = { name: 'ann', role: 'agent', project: '*', key: 'a'.repeat(40) } as const;
const MESSAGE = 'A person will be with you soon.';
const MINUTE = 60_000;

onEachServer((server) => {
  /** Two processes on one database. */
  let [here, there]: TestApp[] = [];
  let port: number;
  let model: ModelStub;
  let receiver: Receiver;
  const [project_id, plain, limited] = [aProject(), aProject(), aProject()];
  const readers: EventReader[] = [];

  beforeAll(async () => {
    model = await new ModelStub().start();
    receiver = await startReceiver();
    const modules = [PuppetModule];
    here = await createTestApp({ server, modules, config: { adminKey: ADMIN_KEY, adminKeys: [ANN] } });
    const { clock, config } = here;
    const same = { adminKey: ADMIN_KEY, database: config.database, jwtSecret: config.jwtSecret };
    there = await createTestApp({ server, modules, clock, config: same });
    port = await here.listen();
    const { avatars } = JSON.parse(await here.app.get(CatalogueService).export()) as { avatars: { _id: string }[] };
    const ada = avatars.find(({ _id }) => _id === 'ada');
    const project = { avatars: ['ada', 'clever', 'careless', 'puppet'], languages: ['en', 'de'] };
    await here.app.get(CatalogueService).apply(
      JSON.stringify({
        avatars: [
          { ...ada, _id: 'clever', name: 'Clever', engine: model.entry() },
          { ...ada, _id: 'careless', care: false },
          PUPPET,
        ],
        projects: [
          {
            ...project,
            project_id,
            handover: { enabled: true, message: MESSAGE, timeoutMinutes: 2, waitingMinutes: 0.5 },
            webhooks: [{ name: 'crm', url: receiver.url, events: ['conversation.waiting', 'conversation.returned'] }],
          },
          { ...project, project_id: plain },
          { ...project, project_id: limited, handover: { enabled: true }, settings: { tokensPerUserAndDay: 100 } },
        ],
      }),
    );
    await delay(1100); // the other process reads the catalogue
  });
  afterEach(() => readers.splice(0).forEach((reader) => reader.close()));
  afterAll(async () => {
    await there!.close();
    await here!.close();
    model.stop();
    await receiver.close();
  });

  /** A visitor of a project, and what a visitor and an operator do. */
  const aVisitor = async (project = project_id) => {
    const owner = new Owner(project, aUser());
    const token = await here!.token(owner.user_id, project);
    const call = (path: string, more: Partial<Call> = {}, app = here!) => app.call({ path, token, ...more });
    const put = (body: unknown, app = here!) => call('/chat/conversation', { method: 'PUT', body }, app);
    const say = (request: string, more: object = {}, headers = {}) =>
      call('/chat', { method: 'POST', headers, body: { avatar_id: 'ada', request, ...more } });
    const show = async (app = here!) => (await call('/chat/conversation', {}, app)).body;
    const operate = (body: unknown, app = here!) => {
      const path = `/admin/conversations/${owner.user_id}?project_id=${project}`;
      return app.call({ method: 'PUT', path, token: ADMIN_KEY, body });
    };
    const write = (answer: string, more: object = {}, app = here!) => {
      const body = { ...owner, avatar_id: 'ada', answer, ...more };
      return app.call({ method: 'POST', path: '/admin/messages', token: ADMIN_KEY, body });
    };
    const texts = async () =>
      (await storedMessages(here!, owner)).map(({ direction, request, answer, avatar_name }) =>
        direction === 'incoming' ? `${avatar_name}: ${answer}` : request,
      );
    return { owner, token, call, put, say, show, operate, write, texts };
  };
  const follow = async (token: string, path = '/chat/events') => {
    const reader = await EventReader.open(port, path, { authorization: `Bearer ${token}` });
    readers.push(reader);
    return reader;
  };

  it('a model gets what each side said once, in turns, without empty messages', async () => {
    const { say, put, operate, write } = await aVisitor();
    const clever = { avatar_id: 'clever' };
    await write('Your table is ready.', clever);
    await write('It waits for you.', clever);
    model.answer = () => ['Good.'];
    await say('Thanks', clever);
    await operate({ state: 'person', name: 'Sam' });
    await say('Is there a terrace?', clever);
    await say('Yes or no?', clever);
    await write('Yes, there is.', clever);
    await write('It has a view.', clever);
    await say('For four', clever);
    await say('For four', clever);
    await put({ state: 'avatar' });
    model.requests.length = 0;
    await say('Fine', clever);
    expect(model.requests[0]!.messages.slice(1)).toEqual([
      { role: 'user', content: '…' },
      { role: 'assistant', content: 'Your table is ready.\nIt waits for you.' },
      { role: 'user', content: 'Thanks' },
      { role: 'assistant', content: 'Good.' },
      { role: 'user', content: 'Is there a terrace?\nYes or no?' },
      { role: 'assistant', content: 'Yes, there is.\nIt has a view.' },
      { role: 'user', content: 'For four\nFor four\nFine' },
    ]);
  });

  it('a visitor asks for a person, who takes over, writes and hands back; the avatar knows what was said', async () => {
    const { token, put, say, show, operate, write, texts } = await aVisitor();
    const reader = await follow(token);
    expect(await show()).toEqual({ state: 'avatar', since: 0 });
    const first = await say('Hello');
    expect(first.status).toBe(201);
    const { body: waiting } = await put({ state: 'waiting' });
    expect(waiting).toEqual({ state: 'waiting', since: here!.clock.now() });
    expect((await put({ state: 'waiting' })).body).toEqual(waiting);
    const asked = await say('My order is 4711');
    expect([asked.status, asked.body]).toEqual([
      202,
      { outgoing: expect.objectContaining({ request: 'My order is 4711' }), conversation: { state: 'waiting' } },
    ]);
    expect((await operate({ state: 'person', name: 'Sam' }, there!)).body).toMatchObject({
      state: 'person',
      name: 'Sam',
    });
    await reader.until('conversation', 2);
    expect((await put({ state: 'waiting' })).body).toMatchObject({ state: 'person', name: 'Sam' });
    const streamed = await say('Anyone?', {}, {}).then(({ body }) => body);
    expect(streamed.conversation).toEqual({ state: 'person', name: 'Sam' });
    const written = await write('It is on its way.', {}, there!);
    expect(written.body).toMatchObject({ avatar_name: 'Sam', request: 'Anyone?' });
    expect((await operate({ state: 'avatar' })).body).toMatchObject({ state: 'avatar' });
    const answers: unknown[] = [];
    model.answer = ({ messages }) => {
      answers.push(...messages.map(({ content }) => content));
      return ['Fine.'];
    };
    await write('Sam was here.', { avatar_id: 'clever', name: 'Sam' });
    expect((await say('And now?', { avatar_id: 'clever' })).status).toBe(201);
    expect(answers).toContain('Sam was here.');
    expect(await texts()).toEqual([
      'Hello',
      `Ada: ${first.body.incoming.answer}`,
      `Ada: ${MESSAGE}`,
      'My order is 4711',
      'Anyone?',
      'Sam: It is on its way.',
      'Sam: Sam was here.',
      'And now?',
      'Clever: Fine.',
    ]);
    await reader.until('conversation', 3);
    await reader.until('message', 9);
    expect(reader.of('conversation')).toEqual([
      { state: 'waiting' },
      { state: 'person', name: 'Sam' },
      { state: 'avatar' },
    ]);
  });

  it('says whether a person can be asked for, and how long a visitor waits at most', async () => {
    const { call } = await aVisitor();
    const enabled = { enabled: true, timeoutMinutes: 2, waitingMinutes: 0.5 };
    expect((await call('/chat/handover')).body).toEqual(enabled);
    expect((await (await aVisitor(plain)).call('/chat/handover')).body).toEqual({ enabled: false });
    expect((await here!.call({ path: '/chat/handover' })).status).toBe(401);
  });

  it('streams outgoing and conversation, and the same key gives the same, whoever has it then', async () => {
    const { token, put, say, call, texts } = await aVisitor();
    await put({ state: 'waiting' });
    const headers = { 'idempotency-key': 'one', accept: 'text/event-stream' };
    const events = async () => (await say('Hi', {}, headers)).text.match(/^event: .*/gm);
    expect(await events()).toEqual(['event: outgoing', 'event: conversation']);
    await put({ state: 'avatar' });
    expect(await events()).toEqual(['event: outgoing', 'event: conversation']);
    const again = await call('/chat', {
      method: 'POST',
      token,
      headers: { 'idempotency-key': 'one' },
      body: { avatar_id: 'ada', request: 'Hi' },
    });
    expect([again.status, again.body.conversation]).toEqual([202, { state: 'waiting' }]);
    expect(await texts()).toEqual([`Ada: ${MESSAGE}`, 'Hi']);
  });

  it('a turn that failed is not answered by the avatar when a person has the conversation by then', async () => {
    const { say, operate, texts, put } = await aVisitor();
    model.answer = () => [];
    const turn = () => say('Hi', { avatar_id: 'clever' }, { 'idempotency-key': 'failed' });
    expect((await turn()).status).toBe(502);
    model.answer = () => ['Hello.'];
    await operate({ state: 'person', name: 'Sam' });
    const again = await turn();
    expect([again.status, again.body.conversation]).toEqual([202, { state: 'person', name: 'Sam' }]);
    await put({ state: 'avatar' });
    expect((await turn()).status).toBe(202);
    expect(await texts()).toEqual(['Hi']);
  });

  it('a turn that waits for the first one with its key is handed over with it', async () => {
    const { say, put } = await aVisitor();
    let isAsked: () => void;
    const asked = new Promise<void>((resolve) => (isAsked = resolve));
    model.answer = async ({ messages }) => {
      isAsked();
      await delay(500);
      return messages.at(-1)!.role === 'tool' ? [] : [ModelStub.callOf('hand_over', {})];
    };
    const turn = () => say('A person!', { avatar_id: 'clever' }, { 'idempotency-key': 'both' });
    const first = turn();
    await asked;
    const requests = model.requests.length;
    const second = turn();
    expect((await first).status).toBe(202);
    await put({ state: 'avatar' });
    expect((await second).status).toBe(202);
    expect(model.requests.length - requests).toBeLessThanOrEqual(1);
  });

  it('reaches a person beyond the daily tokens, too', async () => {
    const { say, operate, texts } = await aVisitor(limited);
    model.answer = () => ['Hello.'];
    model.usage = { prompt_tokens: 100, completion_tokens: 50, total_tokens: 150 };
    expect((await say('Hi', { avatar_id: 'clever' })).status).toBe(201);
    model.usage = undefined;
    expect((await say('More', { avatar_id: 'clever' })).status).toBe(429);
    await operate({ state: 'person', name: 'Sam' });
    expect((await say('Sam?', { avatar_id: 'clever' })).status).toBe(202);
    await operate({ state: 'avatar' });
    expect((await say('More', { avatar_id: 'clever' })).status).toBe(429);
    expect(await texts()).toEqual(['Hi', 'Clever: Hello.', 'Sam?']);
  });

  describe('an answer in progress when the conversation is taken', () => {
    const PERSON = { state: 'person', name: 'Sam' };
    const asked = async (request: string) => {
      const { asked } = here!.app.get(PuppetEngine);
      while (!asked.some((turn) => turn.request === request)) await delay(5);
    };
    const slowly = async (request: string, accept = 'application/json') => {
      const visitor = await aVisitor();
      const said = [request, { avatar_id: 'puppet' }, { accept, 'idempotency-key': 'slow' }] as const;
      const turn = visitor.say(...said);
      await asked(request);
      return { ...visitor, turn, again: () => visitor.say(...said) };
    };
    const eventsOf = ({ text }: { text: string }) => text.match(/(?<=^event: ).*/gm);

    it.each([['here'], ['there']])('is cancelled within two seconds, taken %s', async (where) => {
      const { turn, again, operate, texts, owner } = await slowly(`count 500 ${where}`);
      await operate(PERSON, where === 'here' ? here! : there!);
      const taken = performance.now();
      const { status, body } = await turn;
      expect(performance.now() - taken).toBeLessThan(2000);
      expect([status, body]).toEqual([
        202,
        { outgoing: expect.objectContaining({ request: `count 500 ${where}` }), conversation: PERSON },
      ]);
      expect(here!.app.get(PuppetEngine).stopped).toContain(`count 500 ${where}`);
      const path = `/admin/conversations?project_id=${project_id}&state=person&limit=100`;
      const { conversations } = (await here!.call({ path, token: ADMIN_KEY })).body;
      const listed = conversations.find(({ user_id }: Owner) => user_id === owner.user_id);
      expect(listed.last).toMatchObject({ request: `count 500 ${where}` });
      expect([(await again()).status, (await again()).body]).toEqual([202, body]);
      await operate({ state: 'avatar' });
      expect((await again()).body).toEqual(body);
      expect(await texts()).toEqual([`count 500 ${where}`]);
    });

    it.each([['here'], ['there']])(
      'of a stream that has shown nothing ends as if taken before, taken %s',
      async (where) => {
        const { turn, again, operate, texts } = await slowly(`hang ${where}`, 'text/event-stream');
        await operate(PERSON, where === 'here' ? here! : there!);
        const { text } = await turn;
        expect(eventsOf({ text })).toEqual(['outgoing', 'conversation']);
        expect((await again()).text).toBe(text);
        expect(await texts()).toEqual([`hang ${where}`]);
      },
    );

    it.each([['here'], ['there']])(
      'of a stream keeps what it has shown, and says that it is cut, taken %s',
      async (where) => {
        const { turn, again, operate, texts } = await slowly(`count 500 shown ${where}`, 'text/event-stream');
        await delay(100);
        await operate(PERSON, where === 'here' ? here! : there!);
        const events = eventsOf(await turn)!;
        expect(events.slice(0, 2)).toEqual(['outgoing', 'delta']);
        expect(events.slice(-3)).toEqual(['delta', 'interrupted', 'incoming']);
        const [, answer] = await texts();
        expect(answer).toMatch(/^Puppet: 1 2 3 /);
        expect(answer).not.toMatch(/ 150 /);
        const repeated = await again();
        expect(eventsOf(repeated)).toEqual(['outgoing', 'interrupted', 'delta', 'incoming']);
        expect(`Puppet: ${/"answer":"([^"]*)"/.exec(repeated.text)![1]}`).toBe(answer);
        expect((await texts()).length).toBe(2);
      },
    );

    it('is cancelled while it is being spoken, if nothing of it has been shown', async () => {
      const { say, operate, texts } = await aVisitor();
      const speech = here!.app.get(SpeechService);
      const spy = jest.spyOn(speech, 'speak').mockImplementationOnce((_, { signal }) => {
        void operate(PERSON);
        return new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined)));
      });
      const { status, body } = await say('spoken', { avatar_id: 'puppet', chat_type: 'voice' });
      spy.mockRestore();
      expect([status, body.conversation]).toEqual([202, PERSON]);
      expect(await texts()).toEqual(['spoken']);
    });

    it('goes on if the conversation has been given back by then, and if another user’s is taken', async () => {
      const { turn, operate, owner } = await slowly('count 100 given-back');
      const stale = { state: 'person', name: 'Sam' };
      await here!.app.get(Signals).send(owner, 'conversation', stale, newId());
      await (await aVisitor()).operate(PERSON);
      expect((await turn).status).toBe(201);
      expect((await operate({ state: 'avatar' })).status).toBe(200);
    });

    it('is cancelled for one who waits, too, and words of danger get a message of care', async () => {
      const { turn, put, texts } = await slowly('count 500 I want to kill myself');
      await put({ state: 'waiting' }, there!);
      const { status, body } = await turn;
      expect([status, body.conversation]).toEqual([202, { state: 'waiting' }]);
      const care = expect.stringMatching(/emergency number/);
      expect(await texts()).toEqual(['count 500 I want to kill myself', `Puppet: ${MESSAGE}`, care]);
    });

    it('is cancelled if it is taken after it was stored and before the avatar is asked', async () => {
      const { say, operate, texts } = await aVisitor();
      const find = here!.app.get(ConversationRepository).find.bind(here!.app.get(ConversationRepository));
      const spy = jest.spyOn(here!.app.get(ConversationRepository), 'find').mockImplementationOnce(async (owner) => {
        const found = await find(owner);
        await operate(PERSON);
        return found;
      });
      const { status, body } = await say('count 500 between', { avatar_id: 'puppet' });
      spy.mockRestore();
      expect([status, body.conversation]).toEqual([202, PERSON]);
      expect(await texts()).toEqual(['count 500 between']);
    });
  });

  const DANGER = 'I want to kill myself';
  const CARE = expect.stringMatching(/emergency number/);

  it('words of danger get a message of care while nobody has come yet, once, without a model, and the user goes on waiting', async () => {
    const { token, owner, put, say, show, texts } = await aVisitor();
    const reader = await follow(token);
    const { body: waiting } = await put({ state: 'waiting' });
    const asked = model.requests.length;
    const key = { 'idempotency-key': 'danger' };
    const turn = await say(DANGER, {}, key);
    expect([turn.status, turn.body]).toEqual([
      202,
      { outgoing: expect.objectContaining({ request: DANGER }), conversation: { state: 'waiting' } },
    ]);
    const again = await say(DANGER, {}, key);
    expect([again.status, again.body]).toEqual([202, turn.body]);
    await reader.until('message', 3);
    const [message, outgoing, care] = reader.of('message');
    expect([message, outgoing]).toMatchObject([{ answer: MESSAGE }, turn.body.outgoing]);
    expect(care).toMatchObject({ direction: 'incoming', request: DANGER, answer: CARE, avatar_name: 'Ada' });
    // The inbox has the user's words.
    const path = `/admin/conversations?project_id=${project_id}&state=waiting&limit=100`;
    const { conversations } = (await here!.call({ path, token: ADMIN_KEY })).body;
    const listed = conversations.find(({ user_id }: Owner) => user_id === owner.user_id);
    expect(listed.last).toMatchObject({ request: DANGER });
    const german = { avatar_id: 'clever', language_code: 'de' };
    const streamed = await say('Ich will nicht mehr leben', german, { accept: 'text/event-stream' });
    expect(streamed.text.match(/^event: .*/gm)).toEqual(['event: outgoing', 'event: conversation']);
    expect((await texts()).slice(1)).toEqual([
      DANGER,
      CARE,
      'Ich will nicht mehr leben',
      expect.stringMatching(/^Clever: .*Notruf/s),
    ]);
    expect([await show(), model.requests.length]).toEqual([waiting, asked]);
  });

  it('only words of danger get a message of care: not what is said after them, not with a person, not if it is off', async () => {
    const { put, say, operate, texts } = await aVisitor();
    expect((await say(DANGER)).body.incoming.answer).toEqual(CARE);
    await put({ state: 'waiting' });
    for (const words of ['ok', 'I do not know']) expect((await say(words)).status).toBe(202);
    expect((await say(DANGER, { avatar_id: 'careless' })).status).toBe(202);
    expect((await say(DANGER)).status).toBe(202);
    expect((await say('ok')).status).toBe(202);
    await operate({ state: 'person', name: 'Sam' });
    expect((await say(DANGER)).status).toBe(202);
    expect((await texts()).slice(3)).toEqual(['ok', 'I do not know', DANGER, DANGER, CARE, 'ok', DANGER]);
  });

  it('a message of care that could not be stored is when the turn is tried again, once', async () => {
    const { put, say, show, texts } = await aVisitor();
    const turn = () => say(DANGER, {}, { 'idempotency-key': 'failed-danger' });
    await put({ state: 'waiting' });
    // The user's message is stored, but not that of care.
    const append = here!.app.get(MessageRecorder).append.bind(here!.app.get(MessageRecorder));
    const spy = jest
      .spyOn(here!.app.get(MessageRecorder), 'append')
      .mockImplementation(async (owner, drafts, ...more) => {
        if (drafts[0]!.direction === 'incoming') throw new DatabaseUnavailableError();
        return append(owner, drafts, ...more);
      });
    const { status } = await turn();
    spy.mockRestore();
    expect(status).toBe(503);
    // It is stored, but the turn not marked.
    jest
      .spyOn(here!.app.get(MessageRepository), 'markHandedOver')
      .mockRejectedValueOnce(new DatabaseUnavailableError());
    const tryAgain = async () => {
      here!.clock.advance(MINUTE);
      expect((await show()).state).toBe('avatar');
      await put({ state: 'waiting' });
      return (await turn()).status;
    };
    expect(await tryAgain()).toBe(503);
    expect([await tryAgain(), (await turn()).status]).toEqual([202, 202]);
    expect((await texts()).filter((text) => text !== `Ada: ${MESSAGE}`)).toEqual([DANGER, CARE]);
  });

  it('the shipped scripts hand over who asks for a person, and say honestly where none can', async () => {
    const { say, show, texts } = await aVisitor();
    const turn = await say('I want to talk to a person');
    expect([turn.status, turn.body.conversation]).toEqual([202, { state: 'waiting' }]);
    expect(await show()).toMatchObject({ state: 'waiting' });
    expect(await texts()).toEqual(['I want to talk to a person', `Ada: ${MESSAGE}`]);
    const german = await aVisitor();
    expect((await german.say('Ich möchte mit einem Menschen sprechen', { language_code: 'de' })).status).toBe(202);
    const other = await aVisitor(plain);
    const honest = await other.say('I want to talk to a person');
    expect([honest.status, honest.body.incoming.answer]).toEqual([201, expect.stringMatching(/program/)]);
    expect(await other.show()).toEqual({ state: 'avatar', since: 0 });
  });

  it('a model hands over by its tool, with or without words of its own; without hand-over it has no such tool', async () => {
    const call = {
      tool_calls: [{ index: 0, id: 'c', function: { name: 'hand_over', arguments: '{"reason":"asked"}' } }],
    };
    const wanted = { avatar_id: 'clever' };
    for (const [words, status] of [
      ['', 202],
      ['One moment.', 201],
    ] as const) {
      const { say, show, texts } = await aVisitor();
      model.answer = ({ messages }) => (messages.at(-1)!.role === 'tool' ? [words] : [call]);
      const turn = await say('A person please', wanted);
      expect(turn.status).toBe(status);
      expect(await show()).toMatchObject({ state: 'waiting' });
      expect(await texts()).toEqual(['A person please', `Clever: ${MESSAGE}`, ...(words ? [`Clever: ${words}`] : [])]);
    }
    const offered = () => model.requests.at(-1)!.tools?.map((tool) => tool.function.name);
    expect(offered()).toEqual(['hand_over']);
    model.answer = () => ['Sorry.'];
    await (await aVisitor(plain)).say('A person please', wanted);
    expect(offered()).toBeUndefined();
  });

  it('of two operators at once one has it; another takes it only by force', async () => {
    const { operate, show } = await aVisitor();
    const names = ['Sam', 'Kim', 'Lou', 'Max'];
    const taken = await Promise.all(
      names.map((name, index) => operate({ state: 'person', name }, index % 2 ? here! : there!)),
    );
    expect(taken.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    expect(taken.filter(({ status }) => status === 409).map(({ body }) => body.error)).toEqual(
      Array(3).fill('conversation_taken'),
    );
    const { name } = await show();
    expect((await operate({ state: 'person', name })).status).toBe(200);
    expect((await operate({ state: 'person', name: 'Boss', force: true })).body).toMatchObject({ name: 'Boss' });
  });

  it('returns to the avatar by itself, once, for whoever left: each message of the person postpones it', async () => {
    const waiting = await aVisitor();
    await waiting.put({ state: 'waiting' });
    const { operate, write, show, owner } = await aVisitor();
    await operate({ state: 'person', name: 'Sam' });
    here!.clock.advance(1.5 * MINUTE);
    expect(await waiting.show()).toMatchObject({ state: 'avatar' });
    await write('Still here.');
    here!.clock.advance(1.5 * MINUTE);
    await write('Not Sam.', { name: 'Kim' });
    expect(await show(there!)).toMatchObject({ state: 'person', name: 'Sam' });
    here!.clock.advance(MINUTE);
    // Found by whichever process looks first, without a request.
    await receiver.until(() =>
      receiver.received.some(
        ({ event: { type, data } }) => type === 'conversation.returned' && data.user_id === owner.user_id,
      ),
    );
    const heard = (user_id: string) =>
      receiver.received.map(({ event }) => event).filter(({ data }) => data.user_id === user_id);
    expect(heard(owner.user_id).map(({ data }) => data)).toEqual([{ ...owner, state: 'avatar', by: 'timeout' }]);
    expect(heard(waiting.owner.user_id).map(({ type, data }) => [type, data.by])).toEqual([
      ['conversation.waiting', 'user'],
      ['conversation.returned', 'timeout'],
    ]);
    expect(await show()).toMatchObject({ state: 'avatar' });
  });

  it('lists waiting ones oldest first, those that people have newest first, by pages, each with its newest message', async () => {
    const project = aProject();
    await here!.app.get(CatalogueService).apply(
      JSON.stringify({
        projects: [{ project_id: project, avatars: ['ada'], languages: ['en'], handover: { enabled: true } }],
      }),
    );
    const users: string[] = [];
    for (let n = 0; n < 5; n++) {
      here!.clock.advance(1000);
      const { owner, put, operate, say } = await aVisitor(project);
      users.push(owner.user_id);
      await put({ state: 'waiting' });
      if (n > 0) await say(`number ${n}`);
      if (n >= 3) await operate({ state: 'person', name: 'Sam' });
    }
    const list = (query: string) =>
      here!.call({ path: `/admin/conversations?project_id=${project}&${query}`, token: ADMIN_KEY });
    const { body: first } = await list('state=waiting&limit=2');
    expect(first.conversations.map((one: any) => [one.user_id, one.state, one.last?.request])).toEqual([
      [users[0], 'waiting', undefined],
      [users[1], 'waiting', 'number 1'],
    ]);
    const { body: second } = await list(`state=waiting&limit=2&cursor=${first.cursor}`);
    expect(second).toEqual({ conversations: [expect.objectContaining({ user_id: users[2] })] });
    const { body: people } = await list('state=person');
    expect(people.conversations.map((one: any) => [one.user_id, one.name])).toEqual([
      [users[4], 'Sam'],
      [users[3], 'Sam'],
    ]);
    for (const [query, error] of [
      ['', 'invalid_state'],
      ['state=avatar', 'invalid_state'],
      ['state=waiting&cursor=abc', 'invalid_cursor'],
      ['state=waiting&cursor=', 'invalid_cursor'],
      [`state=waiting&cursor=${Buffer.from('1 a b').toString('base64url')}`, 'invalid_cursor'],
      [`state=person&cursor=${first.cursor}`, 'invalid_cursor'],
      ['state=waiting&limit=0', 'invalid_limit'],
      ['state=waiting&limit=101', 'invalid_limit'],
    ])
      expect([query, (await list(query!)).body.error]).toEqual([query, error]);
    const elsewhere = `/admin/conversations?project_id=${project_id}&state=waiting&cursor=${first.cursor}`;
    expect((await here!.call({ path: elsewhere, token: ADMIN_KEY })).body.error).toBe('invalid_cursor');
  });

  it('refuses bad states and names, projects without hand-over, and users who would be the person', async () => {
    const { put, operate, show } = await aVisitor();
    for (const state of ['person', 'busy', '', null, undefined, ['waiting']])
      expect([state, (await put({ state })).body.error]).toEqual([state, 'invalid_state']);
    const [error, message] = ['invalid_state', 'state must be avatar, waiting or person.'];
    expect((await operate({ state: 'busy' })).body).toMatchObject({ error, message });
    for (const name of [undefined, '', '  ', 'x'.repeat(201), 7, null])
      expect([name, (await operate({ state: 'person', name })).body.error]).toEqual([name, 'invalid_name']);
    expect(await show()).toEqual({ state: 'avatar', since: 0 });
    const other = await aVisitor(plain);
    expect((await other.put({ state: 'waiting' })).body).toMatchObject({ status: 409, error: 'handover_disabled' });
    expect((await other.operate({ state: 'person', name: 'Sam' })).body.error).toBe('handover_disabled');
    expect((await other.put({ state: 'avatar' })).body).toEqual({ state: 'avatar', since: 0 });
    const nowhere = await here!.call({
      method: 'PUT',
      path: '/admin/conversations/u?project_id=nowhere',
      token: ADMIN_KEY,
      body: { state: 'avatar' },
    });
    expect([nowhere.status, nowhere.body.error]).toEqual([404, 'project_not_found']);
  });

  it('shows that a person is typing, in any process, to this user alone', async () => {
    const [visitor, stranger] = [await aVisitor(), await aVisitor()];
    const [mine, theirs] = [await follow(visitor.token), await follow(stranger.token)];
    await visitor.operate({ state: 'person', name: 'Sam' });
    await delay(1100); // the first look at the signals has been
    const path = `/admin/conversations/${visitor.owner.user_id}/typing?project_id=${project_id}`;
    const typing = await there!.call({ method: 'POST', path, token: ADMIN_KEY });
    expect(typing.status).toBe(204);
    expect(await mine.until('typing')).toEqual([{ avatar_id: 'ada', name: 'Sam', typing: true }]);
    expect(theirs.events).toEqual([]);
  });

  it('signals dated ahead or behind by other clocks hide none, and each is told once', async () => {
    const { owner } = await aVisitor();
    const signals = here!.app.get(Signals);
    const stored = here!.app.get<Connection>(getConnectionToken()).collection<{ _id: string }>('conversation_signals');
    const heard: unknown[] = [];
    const stop = signals.subscribe(({ user_id, data }) => user_id === owner.user_id && heard.push(data.name));
    const dated = (name: string, ahead: number) => {
      const date = new Date(Date.now() + ahead);
      return { ...owner, _id: `${owner.user_id} ${name}`, event: 'typing', data: { avatar_id: 'ada', name }, date };
    };
    await delay(200); // it has looked what was there before
    await stored.insertOne(dated('ahead', 60_000));
    await delay(1100);
    await there!.app.get(Signals).send(owner, 'typing', { avatar_id: 'ada', name: 'now' });
    await stored.insertOne(dated('behind', -25_000));
    await delay(2100);
    expect(heard.toSorted()).toEqual(['ahead', 'behind', 'now']);
    // As after the clock of the database was set back, with and without the one that was newest.
    for (const name of ['later', 'last']) {
      signals['newest'] = Date.now() + 60 * MINUTE;
      if (name === 'later') await stored.insertOne(dated('far ahead', 60 * MINUTE));
      else await stored.deleteOne({ _id: `${owner.user_id} far ahead` });
      await delay(2100);
      await there!.app.get(Signals).send(owner, 'typing', { avatar_id: 'ada', name });
      await delay(1100);
    }
    stop();
    expect(heard.toSorted()).toEqual(['ahead', 'behind', 'far ahead', 'last', 'later', 'now']);
  });

  it('what happens after a listener began is news, though its first look fails or finds it; what was before is not', async () => {
    const { owner } = await aVisitor();
    const [signals, repository] = [there!.app.get(Signals), there!.app.get(SignalRepository)];
    const send = (name: string, { app } = here!) => app.get(Signals).send(owner, 'typing', { avatar_id: 'ada', name });
    const heard: unknown[] = [];
    const listen = () => signals.subscribe(({ user_id, data }) => user_id === owner.user_id && heard.push(data.name));
    await send('before');
    await delay(500);
    jest.spyOn(repository, 'findSince').mockRejectedValueOnce(new DatabaseUnavailableError());
    const stop = listen();
    await delay(300);
    await send('elsewhere');
    await delay(1100);
    stop();
    expect(heard).toEqual(['elsewhere']);
    const [find, add] = [repository.findSince.bind(repository), repository.add.bind(repository)];
    let found!: () => void;
    const committed = new Promise<void>((resolve) => {
      jest.spyOn(repository, 'add').mockImplementationOnce(async (signal) => {
        const isNew = await add(signal);
        resolve();
        await new Promise<void>((goOn) => (found = goOn));
        return isNew;
      });
    });
    jest.spyOn(repository, 'findSince').mockImplementationOnce(async (newest) => {
      await committed;
      const all = await find(newest);
      setTimeout(() => found(), 100);
      return all;
    });
    const stopAgain = listen();
    await send('here', there!);
    stopAgain();
    expect(heard).toEqual(['elsewhere', 'here']);
  });

  it('many signals of other users delay none of another process', async () => {
    const { owner, token } = await aVisitor();
    const reader = await follow(token);
    const stored = here!.app.get<Connection>(getConnectionToken()).collection<{ _id: string }>('conversation_signals');
    const typing = { project_id, event: 'typing', data: { avatar_id: 'ada', name: 'Sam' } };
    const date = new Date();
    // In parts: a command may not take longer than a second.
    for (let first = 0; first < 1500; first += 250) {
      const users = Array.from({ length: 250 }, (_none, n) => `${owner.user_id}-${first + n}`);
      await stored.insertMany(users.map((user_id) => ({ _id: user_id, ...typing, user_id, date })));
    }
    here!.clock.advance(1);
    await there!.app.get(Signals).send(owner, 'conversation', { state: 'waiting' }, owner.user_id, 1);
    expect(await reader.until('conversation', 1)).toEqual([{ state: 'waiting' }]);
  });

  it('what happens while this process asks for news is told once, and nothing older afterwards', async () => {
    const { owner } = await aVisitor();
    const signals = here!.app.get(Signals);
    const repository = here!.app.get(SignalRepository);
    const heard: unknown[] = [];
    const stop = signals.subscribe(({ user_id, data }) => user_id === owner.user_id && heard.push(data));
    let goOn!: () => void;
    const hasAsked = new Promise<void>((resolve) => {
      const find = repository.findSince.bind(repository);
      jest.spyOn(repository, 'findSince').mockImplementationOnce(async (since) => {
        const found = await find(since);
        resolve();
        await new Promise<void>((open) => (goOn = open));
        return found;
      });
    });
    await hasAsked;
    await signals.send(owner, 'said', { message_id: 'm' });
    await signals.send(owner, 'conversation', { state: 'waiting' }, 'third', 3);
    goOn();
    await delay(1100);
    const older = { ...owner, event: 'conversation' as const, data: { state: 'avatar' }, revision: 2 };
    await repository.add({ _id: 'second', ...older });
    await delay(2100);
    stop();
    expect(heard).toEqual([{ message_id: 'm' }, { state: 'waiting' }]);
  });

  it('whoever continues a stream learns who answers by now, if that has changed since, after the messages', async () => {
    const { owner, token, put, say, operate } = await aVisitor();
    const { body } = await say('Hello');
    const continued = async (last: string) => {
      const headers = { authorization: `Bearer ${token}`, 'last-event-id': last };
      const reader = await EventReader.open(port, '/chat/events', headers);
      readers.push(reader);
      return reader;
    };
    const later = await follow(token);
    await put({ state: 'waiting' });
    await operate({ state: 'person', name: 'Sam' }, there!);
    await later.until('conversation', 2);
    const { body: second } = await say('Sam?');
    const missed = await continued(body.incoming._id);
    expect(await missed.until('conversation')).toEqual([{ state: 'person', name: 'Sam' }]);
    expect(missed.events.map(({ event }) => event)).toEqual(['message', 'message', 'conversation']);
    await put({ state: 'avatar' });
    await missed.until('conversation', 2);
    // Also if the database does not answer at once.
    const find = jest.spyOn(here!.app.get(ConversationRepository), 'find');
    find.mockClear().mockRejectedValueOnce(new DatabaseUnavailableError());
    const again = await continued(second.outgoing._id);
    expect(await again.until('conversation')).toEqual([{ state: 'avatar' }]);
    await expect(find.mock.results[0]!.value).rejects.toThrow(DatabaseUnavailableError);
    find.mockRestore();
    expect(later.of('conversation')).toHaveLength(3);
    // What has not changed since is not told again.
    here!.clock.advance(MINUTE);
    const { body: last } = await say('Bye');
    const calm = await continued(last.outgoing._id);
    await calm.until('message');
    await delay(1100);
    expect(calm.of('conversation')).toEqual([]);
    // An import may date messages ahead.
    const ahead = { $set: { date: here!.clock.now() + 60 * MINUTE } };
    const stored = here!.app.get<Connection>(getConnectionToken()).collection<{ _id: string }>('messages');
    await stored.updateOne({ _id: last.incoming._id, ...owner }, ahead);
    expect(await (await continued(last.incoming._id)).until('conversation')).toEqual([{ state: 'avatar' }]);
  });

  it('a message that was stored, but not announced, is announced when it is tried again, once', async () => {
    const { owner, operate, show } = await aVisitor();
    await operate({ state: 'person', name: 'Sam' });
    const heard: unknown[] = [];
    const stops = [here!, there!].map(({ app }) =>
      app.get(Signals).subscribe(({ event, data, user_id }) => {
        if (event === 'said' && user_id === owner.user_id) heard.push(data.message_id);
      }),
    );
    const body = { ...owner, avatar_id: 'ada', answer: 'On its way.' };
    const headers = { 'idempotency-key': 'one' };
    const write = (app: TestApp) =>
      app.call({ method: 'POST', path: '/admin/messages', token: ADMIN_KEY, headers, body });
    jest.spyOn(here!.app.get(SignalRepository), 'add').mockRejectedValueOnce(new DatabaseUnavailableError());
    expect((await write(here!)).status).toBe(503);
    const { status, body: message } = await write(here!);
    expect([status, (await write(there!)).body]).toEqual([201, message]);
    await delay(2100);
    expect(heard).toEqual([message._id, message._id]);
    here!.clock.advance(1.5 * MINUTE);
    await write(here!);
    here!.clock.advance(0.6 * MINUTE);
    await write(here!);
    await delay(2100);
    stops.forEach((stop) => stop());
    expect(heard).toEqual([message._id, message._id]);
    expect(await show()).toMatchObject({ state: 'avatar' });
  });

  it('a process in which nobody listens remembers no news', async () => {
    const { owner } = await aVisitor();
    const signals = here!.app.get(Signals);
    const remembered = () =>
      Object.values(signals).map((value) => (value instanceof Map || value instanceof Set ? value.size : 0));
    const before = remembered();
    for (let n = 1; n <= 3; n++) await signals.send(owner, 'conversation', { state: 'waiting' }, undefined, n);
    expect(remembered()).toEqual(before);
  });

  it('an operator follows all conversations of a project, of any process, and continues where the stream ended', async () => {
    const project = aProject();
    await here!.app.get(CatalogueService).apply(
      JSON.stringify({
        projects: [{ project_id: project, avatars: ['ada'], languages: ['en'], handover: { enabled: true } }],
      }),
    );
    const [one, other, stranger] = [await aVisitor(project), await aVisitor(project), await aVisitor()];
    const path = `/admin/events?project_id=${project}`;
    await one.say('before');
    const reader = await follow(ADMIN_KEY, path);
    await stranger.say('elsewhere');
    await one.put({ state: 'waiting' });
    await one.say('first');
    // The dates of its messages are a few milliseconds ahead of a clock that stands still.
    here!.clock.advance(1000);
    await other.write('second', {}, there!);
    await other.say('third');
    const messages = await reader.until('message', 4);
    const said = ({ request, answer }: any) => answer ?? request;
    const [third] = await other.texts().then((texts) => texts.slice(-1));
    expect(messages.map(said).sort()).toEqual(['first', 'second', 'third', third!.slice(5)].sort());
    expect(reader.of('conversation')).toEqual([{ user_id: one.owner.user_id, state: 'waiting' }]);
    const first = messages.find(({ request }) => request === 'first');
    // Dates of different users are not in the order in which their messages were recorded.
    const stored = here!.app.get<Connection>(getConnectionToken()).collection('messages');
    await stored.updateOne({ _id: first._id, ...one.owner }, { $set: { date: first.date + 3000 } });
    const again = await EventReader.open(port, path, {
      authorization: `Bearer ${ADMIN_KEY}`,
      'last-event-id': first._id,
    });
    readers.push(again);
    const missed = messages.slice(messages.indexOf(first) + 1);
    await again.until('message', missed.length);
    expect(new Set(again.of('message').map(({ _id }) => _id))).toEqual(new Set(missed.map(({ _id }) => _id)));
    await delay(1500);
    expect([reader, again].map((stream) => stream.of('message').length)).toEqual([4, missed.length]);
    const unknown = await follow(ADMIN_KEY, `${path}&last_event_id=nonsense`);
    await unknown.until('reset');
    expect((await follow(one.token, path)).status).toBe(401);
    expect((await follow(ADMIN_KEY, '/admin/events?project_id=nowhere')).status).toBe(404);
  });

  it('a new stream of a project begins with what comes next, also if it is busy', async () => {
    const { owner, write } = await aVisitor();
    const date = here!.clock.now() - 1000;
    const recent = Array.from({ length: 1100 }, (_, n) => ({
      ...owner,
      _id: newId() as never,
      direction: 'incoming',
      request: '',
      answer: `${n}`,
      avatar_id: 'ada',
      chat_type: 'text',
      language_code: 'en',
      date,
      follows: `${n}`,
    }));
    const messages = here!.app.get<Connection>(getConnectionToken()).collection('messages');
    await messages.insertMany(recent);
    try {
      const reader = await follow(ADMIN_KEY, `/admin/events?project_id=${project_id}`);
      await write('news');
      await reader.until('message', 1);
      await delay(1500);
      expect(reader.of('message').map(({ answer }) => answer)).toEqual(['news']);
    } finally {
      // The clock stands still: each further stream would read them.
      await messages.deleteMany({ ...owner });
    }
  });

  it('a project is looked at once, however many follow it, and each of them gets each message once', async () => {
    const [{ owner, write }, other] = [await aVisitor(), await aVisitor()];
    const client = here!.app.get<Connection>(getConnectionToken()).getClient();
    let finds = 0;
    const count = ({ command }: any) => void (command.find === 'messages' && !command.filter.user_id && finds++);
    const recorder = here!.app.get(MessageRecorder);
    const { owner: _, ...turn } = aTurn({ request: 'Tell me', answer: 'Once' });
    const spoken = { ...turn, direction: 'incoming' as const };
    /** The finds of some seconds in which both processes store messages and an answer is finished, with so many streams more. */
    const findsWith = async (streams: number) => {
      const opened: EventReader[] = [];
      for (let n = 0; n < streams; n++)
        opened.push(await follow(ADMIN_KEY, `/admin/events?project_id=${project_id}&name=${newId()}`));
      const { _id } = await recorder.begin(other.owner, spoken, here!.clock.now(), { fence: 0 });
      await other.write('behind it');
      finds = 0;
      client.on('commandStarted', count);
      for (let n = 0; n < 20; n++) {
        await write(`${n}`, {}, [here!, there!][n % 2]);
        await delay(n === 10 ? 1500 : 50);
      }
      client.off('commandStarted', count);
      for (const reader of opened) await reader.until('message', 20);
      await recorder.finish(other.owner, _id, 'Once upon a time');
      const order = Array.from({ length: 20 }, (_, n) => `${n}`);
      for (const reader of opened) {
        const all = await reader.until('message', 22);
        expect(all.filter(({ user_id }) => user_id === owner.user_id).map(({ answer }) => answer)).toEqual(order);
        expect(all.slice(20).map(({ answer }) => answer)).toEqual(['Once upon a time', 'behind it']);
        reader.close();
      }
      return finds;
    };
    const one = await findsWith(1);
    expect(await findsWith(10)).toBeLessThan(1.5 * one + 5);
  });

  it('operators of a project do not end each other’s streams, but each at most five', async () => {
    const path = `/admin/events?project_id=${project_id}`;
    const hers = await follow(ANN.key, path);
    const others: EventReader[] = [];
    for (let n = 0; n < 6; n++) others.push(await follow(ADMIN_KEY, path));
    await others[0]!.untilEnd();
    expect(others[0]!.events.at(-1)!.event).toBe('replaced');
    expect([hers, ...others.slice(1)].map(({ isEnded }) => isEnded)).toEqual(Array(6).fill(false));
  });

  it('operators who share a key have five streams each, by the names that they give', async () => {
    const path = `/admin/events?project_id=${project_id}&name=`;
    const opened: EventReader[] = [];
    for (const name of ['Kim', 'Sam', 'Sam', 'Sam', 'Sam', 'Sam', 'Kim'])
      opened.push(await follow(ADMIN_KEY, path + name));
    const [kim, sam, ...others] = opened;
    await follow(ADMIN_KEY, `${path}Sam`);
    await sam!.untilEnd();
    expect(sam!.events.at(-1)!.event).toBe('replaced');
    expect([kim!, ...others].map(({ isEnded }) => isEnded)).toEqual(Array(6).fill(false));
    for (const name of ['', '%20', 'x'.repeat(201)]) {
      const refused = await here!.call({ path: path + name, token: ADMIN_KEY });
      expect([refused.status, refused.body.error]).toEqual([400, 'invalid_name']);
    }
  });

  it('a key has at most fifty streams of a project, whatever names it gives, and leaves room for others', async () => {
    const path = `/admin/events?project_id=${project_id}&name=`;
    const opened = [];
    for (let n = 0; n < 51; n++) opened.push(await follow(ADMIN_KEY, `${path}n${n}`));
    await opened[0]!.untilEnd();
    expect(opened[0]!.events.at(-1)!.event).toBe('replaced');
    expect(opened.slice(1).filter(({ isEnded }) => isEnded)).toEqual([]);
    const full = await createTestApp({ server, config: { adminKey: ADMIN_KEY, eventStreams: 20 } });
    try {
      const there = await full.listen();
      const open = async (token: string, events: string) => {
        const reader = await EventReader.open(there, events, { authorization: `Bearer ${token}` });
        readers.push(reader);
        return reader.status;
      };
      for (let n = 0; n < 20; n++) await open(ADMIN_KEY, `/admin/events?project_id=default&name=n${n}`);
      expect(await open(await full.token(aUser()), '/chat/events')).toBe(200);
    } finally {
      await full.close();
    }
  });

  it('is erased with its user, also in the middle of it', async () => {
    const { owner, put, operate, show, write } = await aVisitor();
    await put({ state: 'waiting' });
    await operate({ state: 'person', name: 'Sam' });
    await write('Hello');
    const path = `/admin/messages?project_id=${project_id}&user_id=${owner.user_id}`;
    await here!.call({ method: 'DELETE', path, token: ADMIN_KEY });
    const connection = here!.app.get<Connection>(getConnectionToken());
    for (const name of ['conversations', 'conversation_signals', 'messages'])
      expect([name, await connection.collection(name).countDocuments({ ...owner })]).toEqual([name, 0]);
    expect(await show()).toEqual({ state: 'avatar', since: 0 });
    expect((await here!.app.get(ChatService).page(owner, { limit: 1 })).payload).toEqual([]);
  });

  describe('a change that fails before it is published', () => {
    const heardBy = (user_id: string) =>
      receiver.received.map(({ event }) => event).filter(({ data }) => data.user_id === user_id);
    const until = (user_id: string, count: number) => receiver.until(() => heardBy(user_id).length >= count);
    /** The database fails once when it stores the message, what other processes are told, or what webhooks are. */
    const stages = {
      message: () => jest.spyOn(here!.app.get(MessageRecorder), 'append'),
      signal: () => jest.spyOn(here!.app.get(SignalRepository), 'add'),
      event: () => jest.spyOn(here!.app.get(Events), 'enqueue'),
      end: () => jest.spyOn(here!.app.get(ConversationRepository), 'markPublished'),
    };
    const fail = (stage: keyof typeof stages) => stages[stage]().mockRejectedValueOnce(new DatabaseUnavailableError());
    afterEach(() => jest.restoreAllMocks());

    it.each(Object.keys(stages) as Array<keyof typeof stages>)(
      'is published when it is tried again: %s',
      async (stage) => {
        const { owner, token, put, texts } = await aVisitor();
        const reader = await follow(token);
        fail(stage);
        expect((await put({ state: 'waiting' })).status).toBe(503);
        expect((await put({ state: 'waiting' })).body).toMatchObject({ state: 'waiting' });
        await until(owner.user_id, 1);
        await reader.until('conversation');
        await put({ state: 'avatar' }, there!);
        await until(owner.user_id, 2);
        await reader.until('conversation', 2);
        expect(heardBy(owner.user_id).map(({ data }) => [data.state, data.by])).toEqual([
          ['waiting', 'user'],
          ['avatar', 'user'],
        ]);
        expect(reader.of('conversation')).toEqual([{ state: 'waiting' }, { state: 'avatar' }]);
        expect(await texts()).toEqual([`Ada: ${MESSAGE}`]);
      },
    );

    it('is published before the next change, of another process', async () => {
      const { owner, put, texts } = await aVisitor();
      fail('message');
      expect((await put({ state: 'waiting' })).status).toBe(503);
      await put({ state: 'avatar' }, there!);
      await until(owner.user_id, 2);
      const states = heardBy(owner.user_id).map(({ data }) => data.state);
      expect(states.sort()).toEqual(['avatar', 'waiting']);
      expect(await texts()).toEqual([`Ada: ${MESSAGE}`]);
    });

    it('is published by itself', async () => {
      const { owner, put, texts } = await aVisitor();
      fail('message');
      expect((await put({ state: 'waiting' })).status).toBe(503);
      await until(owner.user_id, 1);
      expect(await texts()).toEqual([`Ada: ${MESSAGE}`]);
    });

    it('is not published after an erasure', async () => {
      const { owner, put } = await aVisitor();
      jest.spyOn(here!.app.get(ErasureFences), 'assertNotErased').mockRejectedValueOnce(new DatabaseUnavailableError());
      const path = `/admin/messages?project_id=${project_id}&user_id=${owner.user_id}`;
      const change = here!.app.get(ConversationRepository).change;
      jest.spyOn(here!.app.get(ConversationRepository), 'change').mockImplementationOnce(async (...given) => {
        await there!.call({ method: 'DELETE', path, token: ADMIN_KEY });
        return change.apply(here!.app.get(ConversationRepository), given);
      });
      expect((await put({ state: 'waiting' })).status).toBe(503);
      const stored = here!.app.get<Connection>(getConnectionToken()).collection('conversations');
      await receiver.until(async () => (await stored.countDocuments({ ...owner })) === 0);
      expect(heardBy(owner.user_id)).toEqual([]);
    });

    it.each([
      ['message', MessageRecorder, 'append'],
      ['event', Events, 'enqueue'],
    ] as const)('leaves nothing of a user who is erased before its %s', async (_, type, method) => {
      const { owner, put, say } = await aVisitor();
      await say('My order is 4711');
      const path = `/admin/messages?project_id=${project_id}&user_id=${owner.user_id}`;
      const service = here!.app.get<any>(type);
      const work = service[method].bind(service);
      jest.spyOn(service, method).mockImplementationOnce(async (...given: unknown[]) => {
        await there!.call({ method: 'DELETE', path, token: ADMIN_KEY });
        return work(...given);
      });
      expect(await put({ state: 'waiting' })).toMatchObject({ body: { error: 'user_erased' } });
      const connection = here!.app.get<Connection>(getConnectionToken());
      for (const name of ['conversations', 'conversation_signals', 'messages', 'outbox'])
        expect([name, await connection.collection(name).countDocuments({ ...owner })]).toEqual([name, 0]);
    });
  });

  it('refuses a wrong hand-over in the catalogue, and exports a right one', async () => {
    const check = async (handover: unknown) =>
      here!.app
        .get(CatalogueService)
        .check(JSON.stringify({ projects: [{ project_id: aProject(), avatars: [], languages: [], handover }] }));
    for (const wrong of [
      {},
      { enabled: 1 },
      { enabled: true, message: '' },
      { enabled: true, timeoutMinutes: 0 },
      { enabled: true, waitingMinutes: 1441 },
      { enabled: true, other: 1 },
    ])
      expect((await check(wrong))[0]?.place).toMatch(/^projects\[0\]\.handover/);
    expect(await check({ enabled: true, message: 'x', timeoutMinutes: 0.1, waitingMinutes: 1440 })).toEqual([]);
    const { projects } = JSON.parse(await here!.app.get(CatalogueService).export());
    expect(projects.find((one: any) => one.project_id === project_id).handover).toMatchObject({ message: MESSAGE });
  });
});
