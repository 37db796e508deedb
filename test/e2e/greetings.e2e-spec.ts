import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Module } from '@nestjs/common';
import {
  CatalogueService,
  ChatService,
  Owner,
  Speaker,
  type SpeakRequest,
  type Speech,
  type SpeechEntry,
  Transcriber,
} from '../../src/index.js';
import { PUPPET, PuppetEngine, PuppetModule } from '../support/engines.js';
import { anyServer, aProject, aUser, createTestApp, type TestApp } from '../support/index.js';

/** A speaker without audio that records what it was asked to say. */
@Injectable()
class Prompter extends Speaker {
  readonly kind = 'prompter';
  readonly said: SpeakRequest[] = [];
  validate = () => [];
  async speak(request: SpeakRequest): Promise<Speech | undefined> {
    this.said.push(request);
    if (request.text === 'slow') await once(request.signal, 'abort');
    if (request.language_code === 'ar') throw new Error('no voice');
    const audio = Buffer.from(request.text);
    return { audio, content_type: 'audio/mpeg', seconds: 1, phonemes: [{ phoneme: 'h', start: 0, end: 0.1 }] };
  }
}

/** Records the languages it was prepared for. */
@Injectable()
class Stenographer extends Transcriber {
  readonly kind = 'stenographer';
  readonly prepared: string[] = [];
  validate = () => [];
  override prepare = (_entry: SpeechEntry, language_code: string) => void this.prepared.push(language_code);
  transcribe = async () => undefined;
}

@Module({ providers: [Prompter, Stenographer] })
class PrompterModule {}

describe('GET /speech/greeting', () => {
  let test: TestApp;
  let prompter: Prompter;
  let token: string;
  const project_id = aProject();
  beforeAll(async () => {
    test = await createTestApp({ server: anyServer(), modules: [PuppetModule, PrompterModule] });
    prompter = test.app.get(Prompter);
    const speech = { speaker: { kind: 'prompter' }, transcriber: { kind: 'stenographer' } };
    const project = { project_id, avatars: ['puppet'], languages: ['en', 'fr', 'ar'], speech };
    await test.app
      .get(CatalogueService)
      .apply(JSON.stringify({ avatars: [{ ...PUPPET, voice: { pitch: 1.5 } }], projects: [project] }));
    token = await test.token(aUser(), project_id);
  });
  afterAll(() => test.close());

  const greeting = (query: string) => test.call({ path: `/speech/greeting?${query}`, token });

  it('is the greeting of GET /connection, in the voice of the avatar, synthesized once for all requests', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => greeting('avatar_id=puppet&language_code=fr')));
    answers.push(await greeting('avatar_id=puppet&language_code=fr'));
    const url = `data:audio/mpeg;base64,${Buffer.from('À votre service.').toString('base64')}`;
    const body = { text: 'À votre service.', url, seconds: 1, phonemes: [{ phoneme: 'h', start: 0, end: 0.1 }] };
    for (const answer of answers) expect(answer).toMatchObject({ status: 200, body });
    expect(prompter.said).toMatchObject([
      { text: 'À votre service.', language_code: 'fr', voice: { pitch: 1.5 }, entry: { kind: 'prompter' } },
    ]);
  });

  it('prepares recognition and answers in its language, each time', async () => {
    const { prepared } = test.app.get(Stenographer);
    const puppet = test.app.get(PuppetEngine);
    prepared.length = puppet.prepared.length = 0;
    for (const code of ['fr', 'en', 'fr']) await greeting(`avatar_id=puppet&language_code=${code}`);
    expect(prepared).toEqual(['fr', 'en', 'fr']);
    expect(puppet.prepared).toEqual(['fr', 'en', 'fr']);
  });

  it('is in the first language of the project if the request names none', async () => {
    expect((await greeting('avatar_id=puppet')).body.text).toBe('At your service.');
  });

  it('has no audio if it cannot be spoken, and is retried', async () => {
    for (const attempt of [1, 2]) {
      const { status, body } = await greeting('avatar_id=puppet&language_code=ar');
      expect({ status, body }).toEqual({ status: 200, body: { text: 'At your service.', seconds: 0, phonemes: [] } });
      expect(prompter.said.filter(({ language_code }) => language_code === 'ar')).toHaveLength(attempt);
    }
  });

  it('is synthesized again when the avatar changes its words', async () => {
    await greeting('avatar_id=puppet');
    const changed = { ...PUPPET, greetingText: 'What now?' };
    await test.app.get(CatalogueService).apply(JSON.stringify({ avatars: [changed] }));
    expect((await greeting('avatar_id=puppet')).body.text).toBe('What now?');
  });

  it.each([
    ['', 400, 'invalid_avatar_id'],
    ['avatar_id=ada', 404, 'avatar_not_found'],
    ['avatar_id=puppet&language_code=de', 400, 'invalid_language_code'],
    ['avatar_id=puppet&language_code=fr&language_code=en', 400, 'invalid_language_code'],
  ])('%s: %i %s', async (query, status, error) => {
    expect(await greeting(query)).toMatchObject({ status, body: { error } });
  });

  it('needs a token', async () => {
    expect(await test.call({ path: '/speech/greeting?avatar_id=puppet' })).toMatchObject({ status: 401 });
  });

  it('speaks messages of the user as well, and of nobody else', async () => {
    const owner = new Owner(project_id, aUser());
    const [own, other] = [await test.token(owner.user_id, project_id), token];
    const said = { avatar_id: 'puppet', answer: 'Your table is ready.', language_code: 'fr' };
    const { _id } = await test.app.get(ChatService).say(owner, said);
    const hear = (id: string, token: string) => test.call({ path: `/speech/messages/${id}`, token });
    const url = `data:audio/mpeg;base64,${Buffer.from(said.answer).toString('base64')}`;
    expect(await hear(_id, own)).toMatchObject({ status: 200, body: { text: said.answer, url, seconds: 1 } });
    expect(prompter.said.at(-1)).toMatchObject({ text: said.answer, language_code: 'fr' });
    for (const answer of [await hear(_id, other), await hear('nonsense', own), await hear('a'.repeat(24), own)])
      expect(answer).toMatchObject({ status: 404, body: { error: 'message_not_found' } });
  });

  it("speaks a user's messages while others have many spoken, which end when their clients leave", async () => {
    const speak = async (answer: string, user_id: string) => {
      const said = { avatar_id: 'puppet', answer, language_code: 'fr' };
      const { _id } = await test.app.get(ChatService).say(new Owner(project_id, user_id), said);
      return { path: `/speech/messages/${_id}`, token: await test.token(user_id, project_id) };
    };
    const spoken = () => prompter.said.filter(({ text }) => text === 'slow');
    const [greedy, leaving] = [await speak('slow', aUser()), new AbortController()];
    const { signal } = leaving;
    const port = await test.listen();
    const headers = { authorization: `Bearer ${greedy.token}` };
    const all = Array.from({ length: 32 }, () =>
      fetch(`http://127.0.0.1:${port}${greedy.path}`, { headers, signal }).catch(() => 0),
    );
    while (spoken().length < 32) await delay(20);
    expect((await test.call(await speak('Hello.', aUser()))).body.url).toBeDefined();
    expect(
      (await test.call({ path: '/speech/greeting?avatar_id=puppet&language_code=en', token })).body.url,
    ).toBeDefined();
    expect(spoken().filter(({ signal }) => signal.aborted)).toHaveLength(1);
    leaving.abort();
    await Promise.all(all);
    while (spoken().some(({ signal }) => !signal.aborted)) await delay(20);
  });

  it('is spoken by the offline voice in the shipped catalogue', async () => {
    const { body } = await test.call({
      path: '/speech/greeting?avatar_id=ada&language_code=de',
      token: await test.token(aUser()),
    });
    expect(body.text).toContain('ich bin Ada');
    expect(body.seconds).toBeGreaterThan(3);
    expect(body.phonemes.length).toBeGreaterThan(30);
    const audio = Buffer.from(body.url.replace('data:audio/mpeg;base64,', ''), 'base64');
    expect(audio[0]).toBe(0xff);
    expect(audio.length).toBeGreaterThan(10_000);
  });
});
