import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { getConnectionToken } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { MessageArchive } from '../../src/messages/index.js';
import { CatalogueService, ChatService } from '../../src/index.js';
import { SpeechService } from '../../src/speech/index.js';
import { PUPPET, PuppetEngine, PuppetModule } from '../support/engines.js';
import { PausePointsModule } from '../support/pause-points.js';
import {
  anOwner,
  aProject,
  aRecording,
  aTurn,
  aUser,
  createTestApp,
  onEachServer,
  type TestApp,
} from '../support/index.js';

onEachServer((server) => {
  let test: TestApp;
  let engine: PuppetEngine;
  let port: number;
  const project_id = aProject();
  const slow = aProject();
  const greeting = aProject();
  const spoken = aProject();
  beforeAll(async () => {
    test = await createTestApp({ server, modules: [PuppetModule, PausePointsModule] });
    port = await test.listen();
    engine = test.app.get(PuppetEngine);
    const project = {
      avatars: ['puppet', 'ada'],
      languages: ['en', 'fr'],
      settings: { chat_types: ['text', 'voice'] },
      // Takes no time.
      speech: { speaker: { kind: 'staged' } },
    };
    await test.app.get(CatalogueService).apply(
      JSON.stringify({
        avatars: [PUPPET],
        projects: [
          { ...project, project_id },
          { ...project, project_id: slow, settings: { messageTimeoutSeconds: 1 } },
          { ...project, project_id: greeting, settings: { greet: true } },
          { ...project, project_id: spoken, speech: { speaker: { kind: 'espeak' } } },
        ],
      }),
    );
  });
  afterAll(() => test.close());

  /** A user with methods to talk. */
  const aTalker = async (project = project_id) => {
    const user_id = aUser();
    const token = await test.token(user_id, project);
    const say = (body: unknown, headers: Record<string, string> = {}) =>
      test.call({ method: 'POST', path: '/chat', token, body, headers });
    const tell = (request: string, headers: Record<string, string> = {}) =>
      say({ avatar_id: 'puppet', request }, headers);
    const form = async (fields: [string, string | Blob][], headers: Record<string, string> = {}) => {
      const data = new FormData();
      for (const [name, value] of fields) data.append(name, value as string);
      const response = await fetch(`http://127.0.0.1:${port}/chat`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, ...headers },
        body: data,
      });
      return { status: response.status, body: (await response.json()) as any };
    };
    const history = async () =>
      (await test.call({ path: `/chat?user_id=${user_id}&per_page=1000`, token })).body.payload.reverse();
    return { user_id, token, say, tell, form, history };
  };
  /** Events of a stream that was read to its end. */
  const events = (text: string) =>
    text
      .split('\n\n')
      .filter((block) => block.startsWith('event: '))
      .map((block) => {
        const [, event, data] = /^event: (\w+)\ndata: (.*)$/.exec(block)!;
        return { event, data: JSON.parse(data!) };
      });
  const SSE = { accept: 'text/event-stream' };
  /** A stream over a real connection, which can be left. */
  const stream = async (
    token: string,
    request: string,
  ): Promise<{ call: ClientRequest; response: IncomingMessage }> => {
    const headers = { ...SSE, authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const call = httpRequest({ port, host: '127.0.0.1', method: 'POST', path: '/chat', headers });
    call.on('error', () => undefined);
    call.end(JSON.stringify({ avatar_id: 'puppet', request }));
    const [response] = (await once(call, 'response')) as [IncomingMessage];
    return { call, response };
  };
  const fileCount = () => test.app.get<Connection>(getConnectionToken()).collection('files.files').countDocuments();
  const until = async (holds: () => boolean | Promise<boolean>) => {
    for (const end = Date.now() + 5000; !(await holds()); await delay(20))
      if (Date.now() > end) throw new Error('It never came to be');
  };

  describe('POST /chat', () => {
    it("stores the user's message and the answer, and returns both", async () => {
      const { user_id, tell, history } = await aTalker();
      const { status, body } = await tell('Hello');
      const id = expect.stringMatching(/^[0-9a-f]{24}$/);
      const said = {
        user_id,
        request: 'Hello',
        avatar_id: 'puppet',
        chat_type: 'text',
        language_code: 'en',
        date: expect.any(Number),
      };
      expect(status).toBe(201);
      expect(body).toEqual({
        outgoing: { _id: id, direction: 'outgoing', ...said },
        incoming: { _id: id, direction: 'incoming', ...said, answer: 'You said: Hello', avatar_name: 'Puppet' },
      });
      expect(body.incoming.date).toBeGreaterThan(body.outgoing.date);
      expect(await history()).toEqual([body.outgoing, body.incoming]);
    });

    it('streams the same as events on request', async () => {
      const { say, history } = await aTalker();
      const { status, headers, text } = await say({ avatar_id: 'puppet', request: 'count 3' }, SSE);
      expect({ status, type: headers['content-type'], id: headers['x-request-id'] }).toEqual({
        status: 200,
        type: 'text/event-stream; charset=utf-8',
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      });
      const [outgoing, incoming] = await history();
      expect(incoming.answer).toBe('1 2 3 ');
      expect(events(text)).toEqual([
        { event: 'outgoing', data: outgoing },
        ...['1 ', '2 ', '3 '].map((piece) => ({ event: 'delta', data: { text: piece } })),
        { event: 'incoming', data: incoming },
      ]);
    });

    it.each([
      ['text/event-stream;q=0', false],
      ['application/json, TEXT/event-stream; charset=utf-8; q=0.000', false],
      ['text/*, */*', false],
      ['x-text/event-stream', false],
      ['', false],
      ['application/json, TEXT/Event-Stream; q=0.001', true],
      ['text/event-stream;charset=utf-8', true],
    ])('with Accept %j streams: %j', async (accept, isStreamed) => {
      const { say } = await aTalker();
      const { status, headers } = await say({ avatar_id: 'puppet', request: 'Hello' }, { accept });
      expect([status, headers['content-type']]).toEqual(
        isStreamed ? [200, 'text/event-stream; charset=utf-8'] : [201, 'application/json; charset=utf-8'],
      );
    });

    it('passes the avatar, the language and the earlier turns with this avatar to the engine, and no others', async () => {
      const { user_id, tell, say } = await aTalker();
      await tell('one');
      await say({ avatar_id: 'ada', request: 'Hello' });
      await tell('two');
      await say({ avatar_id: 'puppet', request: 'three', language_code: 'fr', chat_type: 'voice' });
      expect(engine.asked.at(-1)).toMatchObject({
        project_id,
        user_id,
        avatar: { _id: 'puppet', name: 'Puppet', greetingText: 'À votre service.' },
        engine: { kind: 'puppet' },
        language_code: 'fr',
        chat_type: 'voice',
        request: 'three',
        history: [
          { request: 'one', answer: 'You said: one' },
          { request: 'two', answer: 'You said: two' },
        ],
      });
    });

    it.each<[string, unknown, number, string]>([
      ['no body', undefined, 400, 'invalid_avatar_id'],
      ['no avatar', { request: 'x' }, 400, 'invalid_avatar_id'],
      ['an avatar that is a number', { avatar_id: 7, request: 'x' }, 400, 'invalid_avatar_id'],
      ['an unknown avatar', { avatar_id: 'nobody', request: 'x' }, 404, 'avatar_not_found'],
      ['an avatar of another project', { avatar_id: 'bruno', request: 'x' }, 404, 'avatar_not_found'],
      ['no request', { avatar_id: 'puppet' }, 400, 'invalid_request'],
      ['an empty request', { avatar_id: 'puppet', request: '' }, 400, 'invalid_request'],
      ['8,001 characters', { avatar_id: 'puppet', request: 'x'.repeat(8001) }, 400, 'invalid_request'],
      ['a request that is a list', { avatar_id: 'puppet', request: ['x'] }, 400, 'invalid_request'],
      ['an unknown chat type', { avatar_id: 'puppet', request: 'x', chat_type: 'smell' }, 400, 'invalid_chat_type'],
      [
        'a chat type that is not enabled',
        { avatar_id: 'puppet', request: 'x', chat_type: 'video' },
        400,
        'invalid_chat_type',
      ],
      ['a chat type that is null', { avatar_id: 'puppet', request: 'x', chat_type: null }, 400, 'invalid_chat_type'],
      [
        'a language that the project lacks',
        { avatar_id: 'puppet', request: 'x', language_code: 'de' },
        400,
        'invalid_language_code',
      ],
      ['an unknown session', { avatar_id: 'puppet', request: 'x', session: 'none' }, 400, 'invalid_session'],
      ['a session that is a number', { avatar_id: 'puppet', request: 'x', session: 1 }, 400, 'invalid_session'],
    ])('refuses %s, as JSON even if events are requested, and stores nothing', async (_, body, status, error) => {
      const { say, history } = await aTalker();
      for (const headers of [{}, SSE]) expect(await say(body, headers)).toMatchObject({ status, body: { error } });
      expect(await history()).toEqual([]);
    });

    it('needs a token', async () => {
      expect(
        await test.call({ method: 'POST', path: '/chat', body: { avatar_id: 'ada', request: 'x' } }),
      ).toMatchObject({
        status: 401,
        body: { error: 'missing_token' },
      });
    });

    it('accepts 8,000 characters of any kind', async () => {
      const { tell, history } = await aTalker();
      const request = `😀"\\\u0000\u2028${'x'.repeat(7994)}`;
      expect((await tell(request)).status).toBe(201);
      expect((await history())[0].request).toBe(request);
    });

    it("is stored after the user's newest message, even if that is imported, unanswered and from the future", async () => {
      const { user_id, tell, history } = await aTalker();
      await tell('one');
      const date = test.clock.now() + 1_000_000;
      const said = {
        project_id,
        user_id,
        request: 'x',
        avatar_id: 'puppet',
        chat_type: 'text',
        language_code: 'en',
        date,
      } as const;
      await test.app.get(MessageArchive).add([{ _id: `${user_id}-future`, direction: 'outgoing', ...said }]);
      const { body } = await tell('two');
      expect([body.outgoing.date, body.incoming.date]).toEqual([date + 1, date + 2]);
      expect((await history()).map(({ request }: { request: string }) => request)).toEqual([
        'one',
        'one',
        'x',
        'two',
        'two',
      ]);
    });

    it('ties a turn to a session of its user, until it ends', async () => {
      const [ann, bob] = [await aTalker(), await aTalker()];
      const { session } = (await test.call({ path: '/connection', token: ann.token })).body;
      const turn = { avatar_id: 'puppet', request: 'x', session };
      expect((await ann.say(turn)).status).toBe(201);
      expect(await bob.say(turn)).toMatchObject({ status: 400, body: { error: 'invalid_session' } });
      test.clock.advance(86_400_000);
      const token = await test.token(ann.user_id, project_id);
      const stale = await test.call({ method: 'POST', path: '/chat', token, body: turn });
      test.clock.advance(-86_400_000);
      expect(stale).toMatchObject({ status: 400, body: { error: 'invalid_session' } });
    });

    it('greets once, before the first turn with an avatar, if the project enables it', async () => {
      const { tell, history } = await aTalker(greeting);
      await Promise.all([tell('one'), tell('two'), tell('three')]);
      await tell('four');
      const messages = await history();
      expect(messages).toHaveLength(9);
      expect(messages[0]).toMatchObject({
        direction: 'incoming',
        request: '',
        answer: 'At your service.',
        avatar_name: 'Puppet',
      });
      expect(messages.filter(({ request }: { request: string }) => request === '')).toHaveLength(1);
    });

    it('greets in the language of the turn', async () => {
      const { say, history } = await aTalker(greeting);
      await say({ avatar_id: 'puppet', request: 'one', language_code: 'fr' });
      expect((await history()).at(0)).toMatchObject({ answer: 'À votre service.', language_code: 'fr' });
    });

    it('does not greet a user who has talked with the avatar before', async () => {
      const known = await aTalker(greeting);
      const owner = { project_id: greeting, user_id: known.user_id };
      await test.app.get(ChatService).record(aTurn({ owner: anOwner(owner), avatar_id: 'puppet' }));
      await known.tell('one');
      expect((await known.history()).map(({ request }: { request: string }) => request)).not.toContain('');
    });
  });

  describe('an avatar that fails', () => {
    it.each([
      ['throws', 'fail'],
      ['says nothing', 'nothing'],
      ['emits something that is not text', 'number'],
      ['dies midway', 'die 2'],
    ])("%s: 502, without quoting its error, and the user's message stays", async (_, request) => {
      const { tell, history } = await aTalker();
      const answer = await tell(request);
      expect(answer).toMatchObject({ status: 502, body: { error: 'engine_failed' } });
      expect(answer.text).not.toMatch(/secret/);
      expect(await history()).toMatchObject([{ direction: 'outgoing', request }]);
    });

    it('fails midway in a stream: the event error, with the error body', async () => {
      const { tell, history } = await aTalker();
      const { headers, text } = await tell('die 2', SSE);
      const received = events(text);
      expect(received.map(({ event }) => event)).toEqual(['outgoing', 'delta', 'delta', 'error']);
      expect(received.at(-1)!.data).toEqual({
        result: 'failure',
        status: 502,
        error: 'engine_failed',
        message: expect.any(String),
        request_id: headers['x-request-id'],
      });
      expect(await history()).toHaveLength(1);
    });

    it("hangs: 504 after the project's timeout, the engine is stopped, and the user's message stays", async () => {
      const { tell, history } = await aTalker(slow);
      const request = `hang ${aUser()}`;
      expect(await tell(request)).toMatchObject({ status: 504, body: { error: 'answer_timeout' } });
      expect(engine.stopped).toContain(request);
      expect(await history()).toMatchObject([{ direction: 'outgoing', request }]);
    });

    it('never ends: it is stopped at 100,000 characters', async () => {
      const { tell } = await aTalker();
      const { status, body } = await tell('flood');
      expect({ status, length: body.incoming.answer.length }).toEqual({ status: 201, length: 100_000 });
    });
  });

  describe('a client that leaves a stream', () => {
    it('stops the avatar, whose words so far become its answer', async () => {
      const { token, history } = await aTalker();
      const request = `stall 3 ${aUser()}`;
      const { call, response } = await stream(token, request);
      let text = '';
      response.on('data', (chunk) => (text += chunk));
      await until(() => text.includes('"3 "'));
      call.destroy();
      await until(async () => (await history()).length === 2);
      expect(engine.stopped).toContain(request);
      expect((await history())[1]).toMatchObject({ direction: 'incoming', request, answer: '1 2 3 ' });
    });

    it('before the first word: no answer is stored', async () => {
      const { token, history } = await aTalker();
      const request = `hang ${aUser()}`;
      const { call } = await stream(token, request);
      await until(() => engine.asked.some((turn) => turn.request === request));
      call.destroy();
      await until(() => engine.stopped.includes(request));
      await delay(100);
      expect(await history()).toHaveLength(1);
    });
  });

  describe('an Idempotency-Key', () => {
    const keyed = (key: string, headers = {}) => ({ 'idempotency-key': key, ...headers });

    it('returns the first result again, as JSON and as events, and stores it once', async () => {
      const { tell, history } = await aTalker();
      const first = await tell('Hello', keyed('k'));
      const again = await tell('Hello', keyed('k'));
      const streamed = await tell('Hello', keyed('k', SSE));
      expect([first.status, again.status]).toEqual([201, 201]);
      expect(again.body).toEqual(first.body);
      expect(events(streamed.text)).toEqual([
        { event: 'outgoing', data: first.body.outgoing },
        { event: 'delta', data: { text: 'You said: Hello' } },
        { event: 'incoming', data: first.body.incoming },
      ]);
      expect(await history()).toHaveLength(2);
    });

    it.each([
      ['avatar', { avatars: ['ada'] }, 404, 'avatar_not_found'],
      ['chat type', { settings: { chat_types: ['text'] } }, 400, 'invalid_chat_type'],
      ['language', { languages: ['en'] }, 400, 'invalid_language_code'],
    ])('returns the first result after its %s has left the project', async (_, changes, status, error) => {
      const changing = aProject();
      const offers = { avatars: ['puppet'], languages: ['fr'], settings: { chat_types: ['voice'] } };
      const change = (more: object) =>
        test.app.get(CatalogueService).apply(
          JSON.stringify({
            projects: [{ project_id: changing, ...offers, speech: { speaker: { kind: 'none' } }, ...more }],
          }),
        );
      await change({});
      const { say, form, history } = await aTalker(changing);
      const body = { avatar_id: 'puppet', request: 'Hello', chat_type: 'voice', language_code: 'fr' };
      const parts: [string, string | Blob][] = [
        ...Object.entries({ ...body, request: 'Hi' }),
        ['file', new Blob([aRecording()], { type: 'audio/wav' })],
      ];
      const first = await say(body, keyed('k'));
      const sent = await form(parts, keyed('form'));
      const failed = { ...body, request: `fail-once ${aUser()}` };
      expect((await say(failed, keyed('failed'))).status).toBe(502);
      await change(changes);
      const files = await fileCount();
      expect(await say(body, keyed('k'))).toMatchObject({ status: 201, body: first.body });
      const streamed = events((await say(body, keyed('k', SSE))).text);
      expect(streamed.map((one) => one.event)).toEqual(['outgoing', 'delta', 'incoming']);
      expect(streamed[2]!.data).toEqual(first.body.incoming);
      expect((await form(parts, keyed('form'))).body.incoming).toEqual(sent.body.incoming);
      const others = [
        [body, 'other'],
        [{ ...body, request: 'Hello!' }, 'k'],
        [failed, 'failed'],
      ] as const;
      for (const [one, key] of others) expect(await say(one, keyed(key))).toMatchObject({ status, body: { error } });
      expect([(await history()).length, await fileCount()]).toEqual([5, files]);
    });

    it('works under concurrency', async () => {
      const { tell, history } = await aTalker();
      const answers = await Promise.all(Array.from({ length: 10 }, () => tell('count 5', keyed('k'))));
      for (const { status, body } of answers) expect({ status, body }).toEqual({ status: 201, body: answers[0]!.body });
      expect(await history()).toHaveLength(2);
    });

    it('works across two processes', async () => {
      const other = await createTestApp({
        server,
        modules: [PuppetModule, PausePointsModule],
        config: { database: test.config.database, jwtSecret: test.config.jwtSecret },
        clock: test.clock,
      });
      const { token, tell, history } = await aTalker();
      const call = {
        method: 'POST' as const,
        path: '/chat',
        token,
        body: { avatar_id: 'puppet', request: 'count 5' },
        headers: keyed('k'),
      };
      const [one, two] = await Promise.all([tell('count 5', keyed('k')), other.call(call)]);
      await other.app.close();
      expect([one.status, two.status]).toEqual([201, 201]);
      expect(two.body).toEqual(one.body);
      expect(await history()).toHaveLength(2);
    });

    it('with another body is refused', async () => {
      const { tell, say, history } = await aTalker();
      await tell('Hello', keyed('k'));
      const others = [
        { avatar_id: 'puppet', request: 'Hello!' },
        { avatar_id: 'ada', request: 'Hello' },
        { avatar_id: 'puppet', request: 'Hello', language_code: 'fr' },
        { avatar_id: 'puppet', request: 'Hello', chat_type: 'voice' },
      ];
      for (const body of others)
        expect(await say(body, keyed('k'))).toMatchObject({ status: 422, body: { error: 'idempotency_key_reused' } });
      expect(await history()).toHaveLength(2);
    });

    it('is separate for each user, in each project', async () => {
      const [one, two] = [await aTalker(), await aTalker()];
      await one.tell('Hello', keyed('k'));
      expect((await two.tell('Goodbye', keyed('k'))).status).toBe(201);
    });

    it('asks the avatar again, about the stored message, after it has failed', async () => {
      const { tell, history } = await aTalker();
      const request = `fail-once ${aUser()}`;
      expect((await tell(request, keyed('k'))).status).toBe(502);
      const again = await tell(request, keyed('k'));
      expect(again).toMatchObject({ status: 201, body: { incoming: { answer: `You said: ${request}` } } });
      expect(await history()).toEqual([again.body.outgoing, again.body.incoming]);
    });

    it('asks again after the process that asked is gone, once its lease has expired', async () => {
      const { user_id, tell, history } = await aTalker();
      await tell('Hello', keyed('k'));
      const messages = test.app.get<Connection>(getConnectionToken()).collection('messages');
      await messages.deleteOne({ project_id, user_id, direction: 'incoming' });
      const waiting = tell('Hello', keyed('k'));
      await delay(300);
      expect(await history()).toHaveLength(1);
      test.clock.advance(3000);
      expect((await waiting).status).toBe(201);
      expect(await history()).toHaveLength(2);
    });

    it.each([
      ['empty', ''],
      ['with a space', 'a b'],
      ['too long', 'x'.repeat(256)],
      ['beyond ASCII', 'clé'],
    ])('is refused if it is %s', async (_, key) => {
      const { tell } = await aTalker();
      expect(await tell('Hello', keyed(Buffer.from(key).toString('latin1')))).toMatchObject({
        status: 400,
        body: { error: 'invalid_idempotency_key' },
      });
    });
  });

  describe('a form', () => {
    const recording = new Blob([aRecording()], { type: 'audio/wav' });
    const fields = (...more: [string, string | Blob][]): [string, string | Blob][] => [
      ['avatar_id', 'puppet'],
      ...more,
    ];

    it("stores the recording as the file of the user's message", async () => {
      const { form, history } = await aTalker();
      const { status, body } = await form(fields(['request', 'Hello'], ['file', recording]));
      expect({ status, chat_type: body.outgoing.chat_type }).toEqual({ status: 201, chat_type: 'voice' });
      const file = await test.call({ path: body.outgoing.fileUrl.replace('http://chat.test', '') });
      expect(file).toMatchObject({
        status: 200,
        headers: {
          'content-type': 'audio/wav',
          'content-length': String(recording.size),
          'x-content-type-options': 'nosniff',
        },
      });
      expect(await history()).toEqual([body.outgoing, body.incoming]);
    });

    it('speaks the answer', async () => {
      const { say } = await aTalker(spoken);
      const { body } = await say({ avatar_id: 'puppet', request: 'Good morning to all of you', chat_type: 'voice' });
      expect(body.outgoing.fileUrl).toBeUndefined();
      const file = await test.call({ path: body.incoming.fileUrl.replace('http://chat.test', '') });
      expect(file).toMatchObject({ status: 200, headers: { 'content-type': 'audio/mpeg' } });
      expect(Number(file.headers['content-length'])).toBeGreaterThan(5000);
    });

    it.each<[string, [string, string | Blob][], number, string]>([
      ['no file', fields(['request', 'x']), 400, 'invalid_file'],
      ['two files', fields(['request', 'x'], ['file', recording], ['file', recording]), 400, 'invalid_file'],
      ['a file with another name', fields(['request', 'x'], ['sound', recording]), 400, 'invalid_file'],
      ['a repeated field', fields(['request', 'x'], ['request', 'y'], ['file', recording]), 400, 'invalid_file'],
      [
        'an invalid WAV',
        fields(['request', 'x'], ['file', new Blob(['RIFF, or so it says'], { type: 'audio/wav' })]),
        415,
        'unsupported_media_type',
      ],
      [
        'a page',
        fields(['request', 'x'], ['file', new Blob(['<html><script>'], { type: 'audio/wav' })]),
        415,
        'unsupported_media_type',
      ],
      [
        '11 MiB',
        fields(['request', 'x'], ['file', new Blob([aRecording(), Buffer.alloc(11 * 1024 * 1024)])]),
        413,
        'payload_too_large',
      ],
      ['no text and no transcriber', fields(['file', recording]), 422, 'no_transcript'],
      [
        'an invalid field',
        [
          ['avatar_id', 'nobody'],
          ['request', 'x'],
          ['file', recording],
        ],
        404,
        'avatar_not_found',
      ],
      [
        'a type that is not enabled',
        fields(['request', 'x'], ['chat_type', 'video'], ['file', recording]),
        400,
        'invalid_chat_type',
      ],
    ])('with %s is refused, and nothing of it stays', async (_, parts, status, error) => {
      const { form, history } = await aTalker();
      const before = await fileCount();
      expect(await form(parts)).toMatchObject({ status, body: { error } });
      expect(await history()).toEqual([]);
      expect(await fileCount()).toBe(before);
    });

    it('says in a stream which language its recording is in, if the transcriber detects it', async () => {
      const { token } = await aTalker();
      const transcribe = jest.spyOn(test.app.get(SpeechService, { strict: false }), 'transcribe');
      const streamed = async (language?: string) => {
        transcribe.mockImplementationOnce(async (_, { onHeard }) => (onHeard!(2, language), 'Hallo'));
        const body = new FormData();
        body.append('avatar_id', 'puppet');
        body.append('file', recording);
        const headers = { ...SSE, authorization: `Bearer ${token}` };
        return events(await (await fetch(`http://127.0.0.1:${port}/chat`, { method: 'POST', headers, body })).text());
      };
      expect((await streamed('de')).slice(0, 2)).toMatchObject([
        { event: 'outgoing', data: { request: 'Hallo', language_code: 'en' } },
        { event: 'transcript', data: { language: 'de' } },
      ]);
      expect((await streamed()).map(({ event }) => event)).not.toContain('transcript');
      transcribe.mockRestore();
    });

    it('repeated with its key stores its recording once, and with another recording is refused', async () => {
      const { form } = await aTalker();
      const parts = fields(['request', 'Hello'], ['file', recording]);
      const first = await form(parts, { 'idempotency-key': 'k' });
      const before = await fileCount();
      expect((await form(parts, { 'idempotency-key': 'k' })).body).toEqual(first.body);
      const other = fields(['request', 'Hello'], ['file', new Blob([aRecording(2)])]);
      expect(await form(other, { 'idempotency-key': 'k' })).toMatchObject({
        status: 422,
        body: { error: 'idempotency_key_reused' },
      });
      expect(await fileCount()).toBe(before);
    });

    it.each([
      ['without a boundary', 'multipart/form-data', 'xx'],
      ['with another boundary', 'multipart/form-data; boundary=x', '--y\r\n\r\n--y--'],
      ['that ends in a header', 'multipart/form-data; boundary=x', '--x\r\nContent-Disp'],
      ['with a boundary too long', `multipart/form-data; boundary=${'x'.repeat(300)}`, `--${'x'.repeat(300)}--`],
      [
        'that ends in its file',
        'multipart/form-data; boundary=x',
        '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nRIFF',
      ],
      [
        'that ends right after its file',
        'multipart/form-data; boundary=x',
        Buffer.concat([
          Buffer.from('--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n'),
          aRecording(),
          Buffer.from('\r\n--x\r\nContent-Disp'),
        ]),
      ],
    ])('%s is refused as malformed', async (_, type, body) => {
      const { token, history } = await aTalker();
      const before = await fileCount();
      const headers = { authorization: `Bearer ${token}`, 'content-type': type };
      const response = await fetch(`http://127.0.0.1:${port}/chat`, { method: 'POST', headers, body });
      const { error } = (await response.json()) as { error: string };
      expect([400, 415]).toContain(response.status);
      expect(['bad_request', 'invalid_file', 'unsupported_media_type']).toContain(error);
      expect(await history()).toEqual([]);
      expect(await fileCount()).toBe(before);
    });

    it.each([
      ['__proto__', '', 'x'],
      ['constructor', '', 'x'],
      ['toString', '; filename="a.wav"', 'x'],
      ['request', '\r\nContent-Type: application/json', '{"__proto__":1}'],
    ])('with a field %s%s gets a specific error, and nothing of it stays', async (name, more, value) => {
      const { token, history } = await aTalker();
      const before = await fileCount();
      const part = (field: string, content: string | Buffer, rest = '') => [
        Buffer.from(`--x\r\nContent-Disposition: form-data; name="${field}"${rest}\r\n\r\n`),
        Buffer.from(content),
        Buffer.from('\r\n'),
      ];
      const file = part('file', aRecording(), '; filename="a.wav"');
      const response = await fetch(`http://127.0.0.1:${port}/chat`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'multipart/form-data; boundary=x' },
        body: Buffer.concat([...file, ...part(name, value, more), Buffer.from('--x--\r\n')]),
      });
      expect({ status: response.status, ...((await response.json()) as object) }).toMatchObject({
        status: 400,
        error: 'bad_request',
        message: expect.stringMatching(/^(A form must not have|The body is not the form)/),
      });
      expect(await history()).toEqual([]);
      expect(await fileCount()).toBe(before);
    });

    it('cannot be used to request a token', async () => {
      const data = new FormData();
      data.append('user_id', 'ann');
      const response = await fetch(`http://127.0.0.1:${port}/jwt`, { method: 'POST', body: data });
      expect(response.status).toBe(415);
    });
  });
});
