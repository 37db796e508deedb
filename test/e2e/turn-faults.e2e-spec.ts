import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Module } from '@nestjs/common';
import { getConnectionToken } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { MessageRepository } from '../../src/messages/message.repository.js';
import { MessageDocument } from '../../src/messages/index.js';
import { ErasureFences } from '../../src/erasure/index.js';
import { FileService } from '../../src/files/index.js';
import { AvatarEngine, type EngineTurn } from 'avatar-chat-models';
import {
  CatalogueService,
  DatabaseUnavailableError,
  Metrics,
  Transcriber,
  type TranscribeRequest,
  type TurnEvent,
  TurnService,
} from '../../src/index.js';
import { PUPPET, PuppetEngine, PuppetModule } from '../support/engines.js';
import { anOwner, anyServer, aProject, aRecording, aUser, createTestApp, type TestApp } from '../support/index.js';
import { PausePointsModule } from '../support/pause-points.js';

const MOON = '\u{1f312}';

/** An engine that emits the texts of its avatar's entry, then waits to be stopped, and then throws. */
@Injectable()
class ReciterEngine extends AvatarEngine {
  readonly kind = 'reciter';
  validate = () => [];

  reply({ engine, signal }: EngineTurn): AsyncIterable<string> {
    const pieces = [...(engine.pieces as string[])];
    const stopped = new Promise<never>((_, reject) =>
      signal.addEventListener('abort', () => reject(new Error('It was stopped'))),
    );
    stopped.catch(() => undefined);
    const next = async () => {
      if (pieces.length > 0) return { done: false as const, value: pieces.shift()! };
      return engine.stays ? stopped : { done: true as const, value: undefined };
    };
    return { [Symbol.asyncIterator]: () => ({ next: () => (pieces.length === 0 && engine.stays ? stopped : next()) }) };
  }
}

@Injectable()
class ClerkTranscriber extends Transcriber {
  readonly kind = 'clerk';
  validate = () => [];

  async transcribe({ entry, signal }: TranscribeRequest): Promise<string | undefined> {
    if (entry.hears === 'trouble') throw new Error('x');
    if (entry.hears === 'times out') await once(signal, 'abort').then(() => Promise.reject(new Error('x')));
    return String(entry.hears).repeat(Number(entry.times ?? 1));
  }
}

@Module({ providers: [ReciterEngine, ClerkTranscriber] })
class FaultsModule {}

const reciter = (_id: string, pieces: string[], stays = false) => ({
  ...PUPPET,
  _id,
  engine: { kind: 'reciter', pieces, stays },
});

let test: TestApp;
const project_id = aProject();
const greeting = aProject();
const silent = aProject();
const hasty = aProject();
const connection = (app = test) => app.app.get<Connection>(getConnectionToken());
const turns = () => test.app.get(TurnService);

const setUp = async (): Promise<TestApp> => {
  const app = await createTestApp({ server: anyServer(), modules: [PuppetModule, FaultsModule, PausePointsModule] });
  const project = {
    avatars: ['puppet', 'pauses', 'long', 'wide', 'stays', 'halts'],
    languages: ['en'],
    settings: { messageTimeoutSeconds: 30 },
    // Audio is handled alike for every speaker; this one needs no synthesis.
    speech: { speaker: { kind: 'staged' } },
  };
  await app.app.get(CatalogueService).apply(
    JSON.stringify({
      avatars: [
        PUPPET,
        reciter('pauses', ['', 'a', '', 'b', '']),
        reciter('long', ['x'.repeat(99_999), MOON]),
        reciter('wide', ['x'.repeat(99_000), MOON.repeat(2000)]),
        reciter('stays', [], true),
        reciter('halts', ['a'], true),
      ],
      projects: [
        { ...project, project_id },
        { ...project, project_id: greeting, settings: { greet: true } },
        { ...project, project_id: hasty, settings: { messageTimeoutSeconds: 1 } },
        { ...project, project_id: silent, speech: { speaker: { kind: 'none' } } },
      ],
    }),
  );
  return app;
};
beforeAll(async () => {
  test = await setUp();
});
afterAll(() => test.close());

const aTalker = async (app: TestApp = test, project = project_id) => {
  const user_id = aUser();
  const token = await app.token(user_id, project);
  const say = (body: object, headers: Record<string, string> = {}) =>
    app.call({ method: 'POST', path: '/chat', token, body: { avatar_id: 'puppet', ...body }, headers });
  const history = async () =>
    (await app.call({ path: `/chat?user_id=${user_id}&per_page=1000`, token })).body.payload.reverse();
  return { owner: anOwner({ project_id: project, user_id }), token, say, history };
};
const readAll = async (taken: AsyncGenerator<TurnEvent, void>) => {
  const events: TurnEvent[] = [];
  for await (const event of taken) events.push(event);
  return events;
};
const until = async (holds: () => boolean | Promise<boolean>) => {
  for (const end = Date.now() + 10_000; !(await holds()); await delay(20))
    if (Date.now() > end) throw new Error('It never came to be');
};

describe('what an engine may do', () => {
  it.each([
    ['an empty piece is ignored', 'pauses', 'ab'],
    ['a surrogate pair at the limit is dropped', 'long', 'x'.repeat(99_999)],
    ['a long answer is cut after the last whole character', 'wide', `${'x'.repeat(99_000)}${MOON.repeat(500)}`],
  ])('%s', async (_, avatar_id, answer) => {
    const { say, history } = await aTalker();
    const { status, body } = await say({ avatar_id, request: 'x' });
    expect({ status, said: body.incoming.answer === answer }).toEqual({ status: 201, said: true });
    expect((await history())[1].answer).toHaveLength(answer.length);
  });

  it('an error after it was stopped is ignored: the client has left, and nothing is stored', async () => {
    const { owner, history } = await aTalker();
    const leaving = new AbortController();
    const taken = turns().runTurn({ owner, avatar_id: 'stays', request: 'x' }, { left: leaving.signal });
    expect((await taken.next()).value).toMatchObject({ event: 'outgoing' });
    setTimeout(() => leaving.abort(), 50);
    await expect(taken.next()).rejects.toMatchObject({ status: 503, code: 'service_unavailable' });
    expect(await history()).toHaveLength(1);
  });

  it('an error after it was stopped midway is ignored: what it said is stored, and counted as an answer', async () => {
    const { owner, history } = await aTalker();
    const answered = async () => {
      const { values } = await test.app.get(Metrics).registry.getSingleMetric('chat_answers_total')!.get();
      return values.find(({ labels }) => labels.engine === 'reciter' && labels.outcome === 'answered')?.value ?? 0;
    };
    const before = await answered();
    const leaving = new AbortController();
    const taken = turns().runTurn({ owner, avatar_id: 'halts', request: 'x' }, { left: leaving.signal });
    await taken.next();
    expect((await taken.next()).value).toEqual({ event: 'delta', data: { text: 'a' } });
    leaving.abort();
    expect(await readAll(taken)).toMatchObject([{ event: 'incoming', data: { answer: 'a' } }]);
    expect(await history()).toMatchObject([{ direction: 'outgoing' }, { direction: 'incoming', answer: 'a' }]);
    expect(await answered()).toBe(before + 1);
  });

  it('is not asked at all if the client has already left', async () => {
    const { owner, history } = await aTalker();
    const taken = turns().runTurn({ owner, avatar_id: 'puppet', request: 'x' }, { left: AbortSignal.abort() });
    await expect(readAll(taken)).rejects.toMatchObject({ status: 503, code: 'service_unavailable' });
    expect(await history()).toMatchObject([{ direction: 'outgoing' }]);
  });

  it('is paused while a client reads slowly', async () => {
    const { token } = await aTalker();
    const port = await test.listen();
    const headers = {
      accept: 'text/event-stream',
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
    };
    const call = httpRequest({ port, host: '127.0.0.1', method: 'POST', path: '/chat', headers });
    call.end(JSON.stringify({ avatar_id: 'long', request: 'x' }));
    const [response] = (await once(call, 'response')) as [IncomingMessage];
    await delay(100);
    let text = '';
    for await (const chunk of response) text += chunk;
    expect(text.match(/^event: \w+/gm)).toEqual(['event: outgoing', 'event: delta', 'event: incoming']);
  });
});

describe('a turn', () => {
  it('of a removed project is refused, and so is a request without text or recording', async () => {
    const turn = { avatar_id: 'puppet', request: 'x' };
    await expect(
      readAll(turns().runTurn({ ...turn, owner: anOwner({ project_id: aProject() }) })),
    ).rejects.toMatchObject({
      code: 'service_unavailable',
    });
    const { owner, history } = await aTalker();
    await expect(readAll(turns().runTurn({ owner, avatar_id: 'puppet' }))).rejects.toMatchObject({
      code: 'invalid_request',
    });
    expect(await history()).toEqual([]);
  });

  it('in a project without a speaker has an answer without audio', async () => {
    const { say } = await aTalker(test, silent);
    const { status, body } = await say({ request: 'x', chat_type: 'voice' });
    expect({ status, url: body.incoming.fileUrl }).toEqual({ status: 201, url: undefined });
  });

  it('that the database cannot store is refused, and its recording is removed', async () => {
    const { owner, history } = await aTalker();
    const files = test.app.get(FileService, { strict: false });
    const file = await files.save(owner, [aRecording()]);
    const taken = turns().runTurn({ owner, avatar_id: 'puppet', request: 'x'.repeat(16 * 1024 * 1024), file });
    await expect(readAll(taken)).rejects.toThrow(/larger than/);
    expect(await history()).toEqual([]);
    expect(await files.find(file.file_id)).toBeUndefined();
  });

  it('that is stored, but may have to be removed, keeps its recording', async () => {
    const { owner, history } = await aTalker();
    const files = test.app.get(FileService, { strict: false });
    const erasures = test.app.get(ErasureFences, { strict: false });
    const file = await files.save(owner, [aRecording()]);
    const check = jest.spyOn(erasures, 'assertNotErased').mockRejectedValueOnce(new Error('x'));
    const taken = turns().runTurn({ owner, avatar_id: 'puppet', request: 'x', file });
    await expect(readAll(taken)).rejects.toThrow('could not be checked');
    check.mockRestore();
    expect(await history()).toMatchObject([{ direction: 'outgoing', fileUrl: expect.any(String) }]);
    expect(await files.find(file.file_id)).toBeDefined();
  });

  it('that greets, and one that fails, publish events with their session', async () => {
    const { owner, token, say, history } = await aTalker(test, greeting);
    const { session } = (await test.call({ path: '/connection', token })).body;
    expect((await say({ request: 'fail', session })).status).toBe(502);
    const [greeted] = await history();
    expect(greeted).toMatchObject({ direction: 'incoming', answer: 'At your service.' });
    const stored = await connection()
      .collection('messages')
      .findOne({ _id: greeted._id, ...owner });
    expect(stored).toMatchObject({ session, greets: 'puppet' });
  });

  it('that waits for the answer of another request with its key ends when its client leaves', async () => {
    const { owner, history } = await aTalker();
    const input = { owner, avatar_id: 'puppet', request: `stall 2 ${aUser()}`, idempotency_key: 'k' };
    const [asking, waiting] = [new AbortController(), new AbortController()];
    const first = readAll(turns().runTurn(input, { left: asking.signal })).catch((error: unknown) => error);
    await until(async () => (await history()).length === 1);
    const second = readAll(turns().runTurn(input, { left: waiting.signal }));
    setTimeout(() => waiting.abort(), 150);
    await expect(second).rejects.toMatchObject({ code: 'service_unavailable' });
    expect(await history()).toHaveLength(1);
    expect(await Promise.race([first, 'still asking'])).toBe('still asking');
    asking.abort();
    await first;
  });

  it('answered by two requests has the answer that was stored first, for both, with one file', async () => {
    const { say, history } = await aTalker();
    const files = () => connection().collection('files.files').countDocuments();
    const before = await files();
    const turn = { request: 'wait 5000', chat_type: 'voice' };
    const key = { 'idempotency-key': 'k' };
    // As if the first were too slow to renew its lease.
    const renewed = jest.spyOn(test.app.get(MessageRepository), 'renew').mockResolvedValue(true);
    const first = say(turn, key);
    await until(async () => (await history()).length === 1);
    const second = say(turn, key);
    const asked = test.app.get(PuppetEngine).asked;
    await until(() => asked.filter(({ user_id }) => user_id === asked.at(-1)!.user_id).length === 2);
    const [one, two] = await Promise.all([first, second]);
    renewed.mockRestore();
    expect([one.status, two.status]).toEqual([201, 201]);
    expect(two.body.incoming._id).toBe(one.body.incoming._id);
    expect(await history()).toHaveLength(2);
    expect(await files()).toBe(before + 1);
  });

  it.each([
    ['message', 0, { outgoing: 1, incoming: 0 }],
    ['answer', 1, { outgoing: 1, incoming: 1 }],
  ])(
    'whose %s is stored although the database did not confirm it is found by its key, complete',
    async (_, lost, kept) => {
      const { owner, history } = await aTalker();
      const { collection } = connection().model<MessageDocument>(MessageDocument.name);
      const files = test.app.get(FileService, { strict: false });
      const take = async () => {
        const file = await files.save(owner, [aRecording()]);
        return readAll(turns().runTurn({ owner, avatar_id: 'puppet', request: 'Hello', file, idempotency_key: 'k' }));
      };
      const { insertMany } = collection;
      let inserts = 0;
      const spied = jest.spyOn(collection, 'insertMany').mockImplementation(async (...given) => {
        const result = await insertMany.apply(collection, given);
        if (inserts++ === lost) throw new DatabaseUnavailableError();
        return result;
      });
      await expect(take()).rejects.toThrow(DatabaseUnavailableError);
      spied.mockRestore();
      const directions = (await history()).map(({ direction }: { direction: string }) => direction);
      expect(directions.filter((one: string) => one === 'outgoing')).toHaveLength(kept.outgoing);
      expect(directions.filter((one: string) => one === 'incoming')).toHaveLength(kept.incoming);
      const events = await take();
      expect(events.map(({ event }) => event).filter((event) => event !== 'delta')).toEqual(['outgoing', 'incoming']);
      const stored = await connection()
        .collection('messages')
        .find({ ...owner })
        .toArray();
      expect(stored).toHaveLength(2);
      for (const { file_id } of stored) expect(await files.find(file_id)).toBeDefined();
    },
  );

  it.each([
    ['message', 1],
    ['answer', 2],
  ])('whose %s is sent to the database twice, since the first response was lost, keeps its audio', async (_, twice) => {
    const { owner } = await aTalker();
    const { collection } = connection().model<MessageDocument>(MessageDocument.name);
    const files = test.app.get(FileService, { strict: false });
    const { insertMany } = collection;
    let inserts = 0;
    const spied = jest.spyOn(collection, 'insertMany').mockImplementation(async (...given) => {
      if (++inserts === twice) await insertMany.apply(collection, given);
      return insertMany.apply(collection, given);
    });
    await readAll(turns().runTurn({ owner, avatar_id: 'puppet', request: 'Hello', chat_type: 'voice' }));
    spied.mockRestore();
    const stored = await connection()
      .collection('messages')
      .find({ ...owner })
      .sort({ date: 1 })
      .toArray();
    expect(stored.map(({ direction }) => direction)).toEqual(['outgoing', 'incoming']);
    expect(await files.find(stored[1]!.file_id)).toBeDefined();
  });

  it('repeated while the database is unavailable: 503, not a failure of the avatar', async () => {
    const { say } = await aTalker();
    const key = { 'idempotency-key': 'k' };
    expect((await say({ request: 'fail' }, key)).body.error).toBe('engine_failed');
    const lost = jest
      .spyOn(test.app.get(MessageRepository), 'countAttempt')
      .mockRejectedValueOnce(new DatabaseUnavailableError());
    const { status, body } = await say({ request: 'fail' }, key);
    expect(lost).toHaveBeenCalledTimes(1);
    lost.mockRestore();
    expect([status, body.error]).toEqual([503, 'service_unavailable']);
    expect((await say({ request: 'fail' }, key)).body.error).toBe('engine_failed');
  });

  it('repeated after a crash asks again, even if an answer may take less time than the lease', async () => {
    const { owner, say } = await aTalker(test, hasty);
    const turn = { request: `fail-once ${aUser()}` };
    const key = { 'idempotency-key': 'k' };
    expect(await say(turn, key)).toMatchObject({ status: 502 });
    const lease_until = test.clock.now() + 3000;
    await connection()
      .collection('messages')
      .updateOne({ ...owner }, { $set: { lease_until } });
    expect(await say(turn, key)).toMatchObject({ status: 201 });
  });

  it('asks the avatar once, however far the clocks of two processes differ', async () => {
    const { say } = await aTalker();
    const turn = { request: `count 60 ${aUser()}` };
    const key = { 'idempotency-key': 'k' };
    const first = say(turn, key);
    const asked = () => test.app.get(PuppetEngine).asked.filter(({ request }) => request === turn.request).length;
    await until(() => asked() === 1);
    test.clock.advance(3_600_000);
    const second = say(turn, key);
    await delay(500);
    test.clock.advance(-7_200_000);
    expect((await Promise.all([first, second])).map(({ status }) => status)).toEqual([201, 201]);
    expect(asked()).toBe(1);
    test.clock.advance(3_600_000);
  });

  it('with a lone surrogate is the same when it is repeated', async () => {
    const { say, history } = await aTalker();
    const turn = [{ request: `${MOON[0]} moon` }, { 'idempotency-key': 'k' }] as const;
    const [one, two] = [await say(...turn), await say(...turn)];
    expect([one.status, two.status]).toEqual([201, 201]);
    expect(one.body.outgoing.request).toBe('\uFFFD moon');
    expect(two.body).toEqual(one.body);
    expect(await history()).toEqual([one.body.outgoing, one.body.incoming]);
  });

  it('gets a slot soon, even as one of 250 concurrent ones', async () => {
    const { owner, history } = await aTalker();
    const said = Array.from({ length: 250 }, (_, n) =>
      readAll(turns().runTurn({ owner, avatar_id: 'puppet', request: String(n) })),
    );
    const results = await Promise.allSettled(said);
    const refused = results.flatMap((result) => (result.status === 'rejected' ? result.reason : []));
    expect(refused.filter(({ status }) => status !== 503)).toEqual([]);
    const stored = (await history()) as { date: number }[];
    expect(new Set(stored.map(({ date }) => date)).size).toBe(stored.length);
    // All that were not refused are stored, with their answers.
    expect(stored.length).toBeGreaterThanOrEqual(2 * (250 - refused.length));
    expect(refused.length).toBeLessThan(250);
  });

  it('is interrupted by a shutdown: what was said so far is stored, and the client may retry', async () => {
    const app = await setUp();
    const { owner, token, history } = await aTalker(app);
    // A real connection, for which the shutdown waits.
    const port = await app.listen();
    const saying = fetch(`http://127.0.0.1:${port}/chat`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ avatar_id: 'puppet', request: 'stall 3' }),
    });
    await until(async () => (await history()).length === 1);
    const database = connection().getClient().db(connection(app).name);
    const closing = app.app.close();
    expect((await saying).status).toBe(503);
    await closing;
    const answers = await database
      .collection('messages')
      .find({ ...owner, direction: 'incoming' })
      .toArray();
    await database.dropDatabase();
    expect(answers).toMatchObject([{ request: 'stall 3', answer: '1 2 3 ' }]);
    const counted = await app.app.get(Metrics).registry.getSingleMetric('chat_turns_total')!.get();
    expect(counted.values).toMatchObject([{ labels: { result: 'interrupted' }, value: 1 }]);
  });
});

describe('the lease of a turn', () => {
  let actual: MessageRepository['renew'];
  let renew: jest.SpiedFunction<MessageRepository['renew']>;
  beforeEach(() => {
    const repository = test.app.get(MessageRepository);
    actual = repository.renew.bind(repository);
    renew = jest.spyOn(repository, 'renew');
  });
  afterEach(() => renew.mockRestore());
  const renewal = async () => {
    await until(() => renew.mock.results.length > 0);
    await renew.mock.results[0]!.value.catch(() => undefined);
  };

  /** A user, and turns with the same key that fail without a word when their client leaves. */
  const anAsker = async () => {
    const { owner } = await aTalker();
    const messages = connection().collection('messages');
    const ask = async () => {
      const leaving = new AbortController();
      const input = { owner, avatar_id: 'stays', request: 'x', idempotency_key: 'k' };
      const taken = turns().runTurn(input, { left: leaving.signal });
      await taken.next();
      const ended = taken.next().catch((error: unknown) => error);
      const leave = async () => {
        leaving.abort();
        expect(await ended).toMatchObject({ code: 'service_unavailable' });
      };
      return leave;
    };
    const lease = async () => (await messages.findOne({ ...owner }))!.lease_until as number;
    const acquire = (lease_until: number) => messages.updateOne({ ...owner }, { $set: { lease_until } });
    return { ask, lease, acquire };
  };

  it('that another process has acquired is neither renewed nor released by the first', async () => {
    const { ask, lease, acquire } = await anAsker();
    const leave = await ask();
    const theirs = (await lease()) + 1;
    await acquire(theirs);
    await renewal();
    const afterRenewal = await lease();
    await leave();
    expect([afterRenewal, await lease()]).toEqual([theirs, theirs]);
  });

  it('changes with its first renewal, also in a repeated turn, even while the clock stands still', async () => {
    const { ask, lease } = await anAsker();
    for (let n = 0; n < 2; n++) {
      renew.mockClear();
      const leave = await ask();
      await until(async () => (await lease()) > 0);
      const first = await lease();
      await renewal();
      expect(await lease()).toBeGreaterThan(first);
      await leave();
      expect(await lease()).toBe(0);
    }
  });

  it('is released after a renewal in progress', async () => {
    const { ask, lease } = await anAsker();
    let open!: () => void;
    const opened = new Promise<void>((resolve) => (open = resolve));
    renew.mockImplementationOnce((...given) => opened.then(() => actual(...given)));
    const leave = await ask();
    await until(() => renew.mock.results.length > 0);
    const failed = leave();
    // The time for a release that does not wait.
    await Promise.race([failed, delay(300)]);
    open();
    await Promise.all([failed, renewal()]);
    expect(await lease()).toBe(0);
  });

  it('is released after a renewal that the database did not confirm', async () => {
    const { ask, lease } = await anAsker();
    renew.mockImplementationOnce(async (...given) => {
      await actual(...given);
      throw new DatabaseUnavailableError();
    });
    const leave = await ask();
    await renewal();
    await leave();
    expect(await lease()).toBe(0);
  });
});

describe('a recording without text', () => {
  const dictate = async (transcriber: object, file?: { file_id: string }) => {
    const project = aProject();
    await test.app.get(CatalogueService).apply(
      JSON.stringify({
        projects: [
          {
            project_id: project,
            avatars: ['puppet'],
            languages: ['en'],
            settings: { messageTimeoutSeconds: 1, chat_types: ['text', 'voice'] },
            speech: { speaker: { kind: 'none' }, transcriber: { kind: 'clerk', ...transcriber } },
          },
        ],
      }),
    );
    const owner = anOwner({ project_id: project });
    const saved = await test.app.get(FileService, { strict: false }).save(owner, [aRecording()]);
    return readAll(turns().runTurn({ owner, avatar_id: 'puppet', file: { ...saved, ...file } }));
  };

  it('is transcribed, up to 8,000 characters', async () => {
    const [outgoing] = await dictate({ hears: 'x', times: 9000 });
    expect(outgoing!.data).toMatchObject({ direction: 'outgoing', request: 'x'.repeat(8000), chat_type: 'voice' });
  });

  it.each([
    ['without a working transcriber', { hears: 'trouble' }, undefined, 'engine_failed'],
    ['that takes too long', { hears: 'times out' }, undefined, 'answer_timeout'],
    ['without speech', { hears: '' }, undefined, 'no_transcript'],
    ['whose file is gone', { hears: 'x' }, { file_id: 'f'.repeat(24) }, 'engine_failed'],
  ])('%s is refused', async (_, transcriber, file, code) => {
    await expect(dictate(transcriber, file)).rejects.toMatchObject({ code });
  });
});

describe('a database error', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await setUp();
    // Any second message with the same answer is refused now, however often it is tried.
    await connection(app).collection('messages').createIndex({ answer: 1 }, { unique: true, sparse: true });
  });
  afterAll(() => app.close());

  it('on an answer: 500, the message stays, the audio is removed, and the key can be used again', async () => {
    const key = { 'idempotency-key': 'k' };
    const turn = { request: 'count 2', chat_type: 'voice' };
    const [one, two] = [await aTalker(app), await aTalker(app)];
    expect((await one.say(turn, key)).status).toBe(201);
    const files = () => connection(app).collection('files.files').countDocuments();
    const before = await files();
    for (let n = 0; n < 2; n++)
      expect(await two.say(turn, key)).toMatchObject({ status: 500, body: { error: 'internal_error' } });
    expect(await two.history()).toMatchObject([{ direction: 'outgoing', request: 'count 2' }]);
    expect(await files()).toBe(before);
  });

  it('on a greeting: 500, and nothing is stored', async () => {
    const [one, two] = [await aTalker(app, greeting), await aTalker(app, greeting)];
    expect((await one.say({ request: 'Hello' })).status).toBe(201);
    expect((await two.say({ request: 'Goodbye' })).status).toBe(500);
    expect(await two.history()).toEqual([]);
  });
});
