import { Injectable, Module } from '@nestjs/common';
import { getConnectionToken } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { AdminService } from '../../src/admin/index.js';
import { FileService } from '../../src/files/index.js';
import { mp3Seconds } from 'avatar-chat-media';
import { DatabaseUnavailableError } from '../../src/platform/database/index.js';
import {
  CatalogueService,
  Metrics,
  Speaker,
  SpeechError,
  type SpeakRequest,
  type Speech,
  TurnService,
} from '../../src/index.js';
import { PUPPET, PuppetEngine, PuppetModule } from '../support/engines.js';
import { anOwner, anyServer, aProject, createTestApp, type TestApp } from '../support/index.js';

/** An MP3 frame: 128 kbit/s at 44.1 kHz. */
const FRAME = Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0x00]), Buffer.alloc(413)]);

/**
 * Returns three frames of silence, or nothing for the word "fail"; pauses before "wait" until it is released. Returns
 * no MP3 for "broken", and for "long" the phonemes of a long speech in Chinese.
 */
@Injectable()
class Understudy extends Speaker {
  readonly kind = 'understudy';
  readonly asked: string[] = [];
  beforeWaiting: () => Promise<void> = async () => undefined;
  validate = () => [];

  async speak({ text }: SpeakRequest): Promise<Speech> {
    this.asked.push(text);
    if (text.includes('fail')) throw new SpeechError('It cannot be said.');
    if (text.includes('wait')) await this.beforeWaiting();
    const phonemes = Array.from({ length: text.includes('long') ? 8000 : 1 }, () => ({
      phoneme: 'a',
      start: 0.01,
      end: 0.02,
    }));
    const audio = text.includes('broken') ? Buffer.from('broken') : Buffer.concat([FRAME, FRAME, FRAME]);
    return { audio, content_type: 'audio/mpeg', seconds: 0.078, phonemes };
  }
}
@Module({ providers: [Understudy] })
class UnderstudyModule {}

let test: TestApp;
let understudy: Understudy;
const [espeak, played, hasty, silent] = [aProject(), aProject(), aProject(), aProject()];
beforeAll(async () => {
  test = await createTestApp({ server: anyServer(), modules: [PuppetModule, UnderstudyModule] });
  understudy = test.app.get(Understudy);
  const project = { avatars: ['puppet'], languages: ['en'] };
  await test.app.get(CatalogueService).apply(
    JSON.stringify({
      avatars: [PUPPET],
      projects: [
        { ...project, project_id: espeak },
        { ...project, project_id: played, speech: { speaker: { kind: 'understudy' } } },
        {
          ...project,
          project_id: hasty,
          speech: { speaker: { kind: 'understudy' } },
          settings: { messageTimeoutSeconds: 1 },
        },
        { ...project, project_id: silent, speech: { speaker: { kind: 'none' } } },
      ],
    }),
  );
});
afterAll(() => test.close());

async function aTalker(project_id: string) {
  const owner = anOwner({ project_id });
  const token = await test.token(owner.user_id, project_id);
  /** The events of a streamed turn, to its end. */
  const stream = async (request: string, { chat_type = 'voice', ...headers }: Record<string, string> = {}) => {
    const { text } = await test.call({
      method: 'POST',
      path: '/chat',
      token,
      body: { avatar_id: 'puppet', request, chat_type },
      headers: { accept: 'text/event-stream', ...headers },
    });
    return [...text.matchAll(/^event: (\w+)\ndata: (.*)$/gm)].map(([, event, data]) => ({
      event: event!,
      data: JSON.parse(data!),
    }));
  };
  const files = () =>
    test.app
      .get<Connection>(getConnectionToken())
      .collection('files.files')
      .countDocuments({ 'metadata.user_id': owner.user_id });
  return { owner, token, stream, files };
}
const dataOf = (events: { event: string; data: any }[], name: string) =>
  events.filter(({ event }) => event === name).map(({ data }) => data);
const pathOf = (url: string) => url.replace('http://chat.test', '');

describe('a streamed turn with audio', () => {
  it.each(['voice', 'video'])(
    'has its sentences spoken one by one in %s, and the whole answer as a file',
    async (chat_type) => {
      const { stream, token } = await aTalker(espeak);
      const events = await stream('Good morning, my friend. How are you today? I am well!', { chat_type });
      expect(events.map(({ event }) => event).filter((name) => name !== 'delta')).toEqual([
        'outgoing',
        'audio',
        'audio',
        'audio',
        'incoming',
      ]);
      const audio = dataOf(events, 'audio');
      expect(audio.map(({ index, text }) => [index, text])).toEqual([
        [0, 'You said: Good morning, my friend.'],
        [1, 'How are you today?'],
        [2, 'I am well!'],
      ]);
      let start = 0;
      for (const sentence of audio) {
        expect(sentence.start).toBeCloseTo(start, 3);
        start += sentence.seconds;
        const file = await test.call({ path: pathOf(sentence.url) });
        expect(file).toMatchObject({ status: 200, headers: { 'content-type': 'audio/mpeg' } });
        expect(sentence.seconds).toBeGreaterThan(0.3);
        expect(sentence.phonemes.length).toBeGreaterThan(3);
        expect(sentence.phonemes.at(-1).end).toBeLessThanOrEqual(sentence.seconds);
      }
      const [incoming] = dataOf(events, 'incoming');
      const whole = await test.app.inject({ method: 'GET', url: pathOf(incoming.fileUrl) });
      expect(mp3Seconds(whole.rawPayload)).toBeCloseTo(start, 0);
      const details = await test.call({ path: pathOf(incoming.fileUrl).replace('?', '/details?'), token });
      expect(details.body.seconds).toBeCloseTo(start, 2);
      expect(details.body.phonemes.length).toBe(audio.flatMap(({ phonemes }) => phonemes).length);
      const [first] = audio[1].phonemes;
      const inWhole = details.body.phonemes[audio[0].phonemes.length];
      expect(inWhole).toEqual({ phoneme: first.phoneme, start: expect.any(Number), end: expect.any(Number) });
      expect(inWhole.start).toBeCloseTo(audio[1].start + first.start, 2);
    },
  );

  it('has no audio for type text, or with the speaker none', async () => {
    const text = await (await aTalker(espeak)).stream('Hello. Hello again.', { chat_type: 'text' });
    const none = await (await aTalker(silent)).stream('Hello. Hello again.');
    for (const events of [text, none]) {
      expect(dataOf(events, 'audio')).toEqual([]);
      expect(dataOf(events, 'incoming')[0].fileUrl).toBeUndefined();
    }
  });

  it('repeats the same answer, without its sentences', async () => {
    const { stream } = await aTalker(played);
    const again = { 'idempotency-key': 'the-same' };
    const [first, second] = [await stream('One. Two.', again), await stream('One. Two.', again)];
    expect(dataOf(first, 'audio')).toHaveLength(2);
    expect(dataOf(second, 'audio')).toEqual([]);
    expect(dataOf(second, 'incoming')).toEqual(dataOf(first, 'incoming'));
  });

  it('continues as text if a sentence cannot be spoken', async () => {
    const { stream } = await aTalker(played);
    understudy.asked.length = 0;
    const events = await stream('One. Now fail. Three.');
    expect(dataOf(events, 'audio')).toHaveLength(1);
    const [{ answer, fileUrl }] = dataOf(events, 'incoming');
    expect({ answer, fileUrl }).toEqual({ answer: 'You said: One. Now fail. Three.', fileUrl: undefined });
    expect(understudy.asked.map((text) => text.trim())).toEqual(['You said: One.', 'Now fail.', answer]);
  });

  it.each([
    ['long', true],
    ['broken', false],
  ])('is stored if its speech is %s, also for a client that requests no events', async (request, hasFile) => {
    const { stream, token } = await aTalker(played);
    expect('fileUrl' in dataOf(await stream(request), 'incoming')[0]).toBe(hasFile);
    const body = { avatar_id: 'puppet', request, chat_type: 'voice' };
    const answer = await test.call({ method: 'POST', path: '/chat', token, body });
    expect(answer).toMatchObject({ status: 201, body: { incoming: { answer: `You said: ${request}` } } });
    expect('fileUrl' in answer.body.incoming).toBe(hasFile);
  });

  it('fails if the database is unavailable when its speech is to be stored', async () => {
    const { token } = await aTalker(played);
    jest
      .spyOn(test.app.get(FileService, { strict: false }), 'save')
      .mockRejectedValueOnce(new DatabaseUnavailableError());
    const body = { avatar_id: 'puppet', request: 'One.', chat_type: 'voice' };
    const answer = await test.call({ method: 'POST', path: '/chat', token, body });
    expect(answer).toMatchObject({ status: 503, body: { error: 'service_unavailable' } });
    jest.restoreAllMocks();
  });

  it('skips sentences without words', async () => {
    const { stream } = await aTalker(played);
    const events = await stream('One. 🎉🎉\n* * *\nTwo.');
    expect(dataOf(events, 'audio').map(({ index, text }) => [index, text])).toEqual([
      [0, 'You said: One.'],
      [1, 'Two.'],
    ]);
  });

  it('leaves nothing if its user is erased meanwhile', async () => {
    const { owner, stream, files } = await aTalker(played);
    understudy.beforeWaiting = () =>
      test.app
        .get(AdminService)
        .eraseUser(owner)
        .then(() => undefined);
    const events = await stream('One. Please wait. Three.');
    expect(dataOf(events, 'error')).toEqual([expect.objectContaining({ status: 410, error: 'user_erased' })]);
    expect(await files()).toBe(0);
  });

  describe('whose speaker hangs at the last sentence, when the text is complete,', () => {
    const request = 'One. Please wait.';
    const answer = `You said: ${request}`;
    const key = { 'idempotency-key': 'k' };
    /** What the metrics have counted. */
    const results = async (result: string) => {
      const { values } = await test.app.get(Metrics).registry.getSingleMetric('chat_turns_total')!.get();
      return values.filter(({ labels }) => labels.result === result).reduce((sum, { value }) => sum + value, 0);
    };
    const timesAsked = ({ user_id }: { user_id: string }) =>
      test.app.get(PuppetEngine).asked.filter((asked) => asked.user_id === user_id).length;
    const hanging = () => new Promise<never>(() => undefined);

    it.each([
      ['its time is over', hasty, async () => undefined],
      ['the service stops', played, async () => test.app.get(TurnService).beforeApplicationShutdown()],
    ])('is answered without a file once %s', async (_, project_id, end) => {
      const { owner, stream } = await aTalker(project_id);
      understudy.beforeWaiting = () => end().then(hanging);
      const answered = await results('answered');
      const events = await stream(request, key);
      expect(dataOf(events, 'error')).toEqual([]);
      expect(dataOf(events, 'audio')).toHaveLength(1);
      const [incoming] = dataOf(events, 'incoming');
      expect(incoming).toMatchObject({ direction: 'incoming', answer });
      expect(incoming.fileUrl).toBeUndefined();
      expect(await results('answered')).toBe(answered + 1);
      const again = await stream(request, key);
      expect(again.map(({ event }) => event)).toEqual(['outgoing', 'delta', 'incoming']);
      expect(dataOf(again, 'incoming')).toEqual([incoming]);
      expect(timesAsked(owner)).toBe(1);
    });

    it('is answered without a file once the service stops, also for a client that requests no events', async () => {
      const { token } = await aTalker(played);
      understudy.beforeWaiting = async () => {
        test.app.get(TurnService).beforeApplicationShutdown();
        await hanging();
      };
      const body = { avatar_id: 'puppet', request, chat_type: 'voice' };
      const told = await test.call({ method: 'POST', path: '/chat', token, body });
      expect(told).toMatchObject({ status: 201, body: { incoming: { answer } } });
      expect(told.body.incoming.fileUrl).toBeUndefined();
    });

    it('has its whole answer stored, not as interrupted, if the client leaves', async () => {
      const { owner, token, stream } = await aTalker(played);
      const leaving = new AbortController();
      const waiting = new Promise<void>((resolve) => {
        understudy.beforeWaiting = () => {
          resolve();
          return hanging();
        };
      });
      const response = await fetch(`http://127.0.0.1:${await test.listen()}/chat`, {
        method: 'POST',
        headers: {
          accept: 'text/event-stream',
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          ...key,
        },
        body: JSON.stringify({ avatar_id: 'puppet', request, chat_type: 'voice' }),
        signal: leaving.signal,
      });
      await waiting;
      leaving.abort();
      await expect(response.text()).rejects.toThrow('abort');
      const again = await stream(request, key);
      expect(again.map(({ event }) => event)).toEqual(['outgoing', 'delta', 'incoming']);
      expect(dataOf(again, 'incoming')).toEqual([expect.objectContaining({ answer })]);
      expect(timesAsked(owner)).toBe(1);
    });

    it('is refused, and leaves nothing, if its user is erased', async () => {
      const { owner, stream, files } = await aTalker(played);
      understudy.beforeWaiting = () => test.app.get(AdminService).eraseUser(owner).then(hanging);
      const events = await stream(request);
      expect(dataOf(events, 'error')).toEqual([expect.objectContaining({ status: 410, error: 'user_erased' })]);
      expect(await files()).toBe(0);
      const messages = test.app.get<Connection>(getConnectionToken()).collection('messages');
      expect(await messages.countDocuments({ ...owner })).toBe(0);
    });
  });

  it('has no files other than those that it names, for a client that requests no events', async () => {
    const { owner, token, files } = await aTalker(played);
    const body = { avatar_id: 'puppet', request: 'One. Two.', chat_type: 'voice' };
    const answer = await test.call({ method: 'POST', path: '/chat', token, body });
    expect(Object.keys(answer.body)).toEqual(['outgoing', 'incoming']);
    expect([owner.project_id, await files()]).toEqual([played, 1]);
  });
});
