import { Injectable, Module } from '@nestjs/common';
import {
  CatalogueService,
  OnEvent,
  type ServiceEvent,
  Speaker,
  type SpeakRequest,
  type Speech,
  TurnService,
} from '../../src/index.js';
import { PUPPET, PuppetEngine, PuppetModule } from '../support/engines.js';
import { anOwner, anyServer, aProject, createTestApp, storedMessages, type TestApp } from '../support/index.js';

/** An MP3 frame: 128 kbit/s at 44.1 kHz. */
const FRAME = Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0x00]), Buffer.alloc(413)]);

/** A silent speaker that records what it was asked to say. */
@Injectable()
class Understudy extends Speaker {
  readonly kind = 'understudy';
  readonly asked: SpeakRequest[] = [];
  validate = (entry: object) => ('loud' in entry ? ['loud: is not known here'] : []);

  async speak(request: SpeakRequest): Promise<Speech> {
    this.asked.push(request);
    const phonemes = [{ phoneme: 'a', start: 0.1, end: 0.2 }];
    return { audio: Buffer.concat([FRAME, FRAME]), content_type: 'audio/mpeg', seconds: 1.5, phonemes };
  }
}
@Injectable()
class EventRecorder {
  readonly heard: ServiceEvent<'turn.failed'>[] = [];

  @OnEvent('turn.failed')
  hear(event: ServiceEvent<'turn.failed'>): void {
    this.heard.push(event);
  }
}
@Module({ providers: [Understudy, EventRecorder] })
class TracesModule {}

const OTHER = { ...PUPPET, _id: 'other', name: 'Other', voice: { rate: 1.5, names: { understudy: 'low' } } };

let test: TestApp;
const project_id = aProject();
const hasty = aProject();
beforeAll(async () => {
  test = await createTestApp({ server: anyServer(), modules: [PuppetModule, TracesModule] });
  const project = { avatars: ['puppet', 'other'], languages: ['en'], speech: { speaker: { kind: 'understudy' } } };
  await test.app.get(CatalogueService).apply(
    JSON.stringify({
      avatars: [PUPPET, OTHER],
      projects: [
        { ...project, project_id },
        { ...project, project_id: hasty, settings: { messageTimeoutSeconds: 1 } },
      ],
    }),
  );
});
afterAll(() => test.close());

const aTalker = async (project = project_id) => {
  const owner = anOwner({ project_id: project });
  const token = await test.token(owner.user_id, project);
  const say = (body: object, headers: Record<string, string> = {}) =>
    test.call({ method: 'POST', path: '/chat', token, body: { avatar_id: 'puppet', ...body }, headers });
  const aSession = async () => (await test.call({ path: '/connection', token })).body.session as string;
  const stored = () => storedMessages(test, owner);
  const failures = () => test.app.get(EventRecorder).heard.filter(({ data }) => data.user_id === owner.user_id);
  return { owner, say, aSession, stored, failures };
};
/** The values of `/metrics`, by name and labels. */
const metrics = async () =>
  new Map(
    (await test.call({ path: '/metrics' })).text
      .split('\n')
      .filter((line) => line.startsWith('chat_'))
      .map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  );
/** Runs a turn, and leaves at a given event. */
const leave = async (owner: ReturnType<typeof anOwner>, request: string, events: number) => {
  const leaving = new AbortController();
  const turn = test.app.get(TurnService).runTurn({ owner, avatar_id: 'puppet', request }, { left: leaving.signal });
  try {
    for (let seen = 1; !(await turn.next()).done; seen++) if (seen === events) leaving.abort();
  } catch (error) {
    return error;
  }
  return undefined;
};

it('a turn is counted by its result, and its engine timed', async () => {
  const { owner, say } = await aTalker();
  const engine = 'chat_engine_duration_seconds_count{engine="puppet"}';
  const firstPiece = 'chat_engine_first_piece_seconds_count{engine="puppet"}';
  const turns = (result: string, chat_type = 'text') => `chat_turns_total{chat_type="${chat_type}",result="${result}"}`;
  const before = await metrics();
  const changed = async (name: string) => ((await metrics()).get(name) ?? 0) - (before.get(name) ?? 0);
  await say({ request: 'count 3' });
  await say({ request: 'Hello', chat_type: 'voice' });
  await say({ request: 'fail' });
  await leave(owner, 'stall 2', 3);
  expect(await changed(turns('answered'))).toBe(1);
  expect(await changed(turns('answered', 'voice'))).toBe(1);
  expect(await changed(turns('engine_failed'))).toBe(1);
  expect(await changed(turns('interrupted'))).toBe(1);
  expect(await changed(engine)).toBe(4);
  expect(await changed(firstPiece)).toBe(3);
  const speechless = jest.spyOn(test.app.get(PuppetEngine), 'reply').mockImplementationOnce(() => undefined as never);
  await say({ request: 'x' });
  speechless.mockRestore();
  expect(await changed(turns('engine_failed'))).toBe(2);
  expect((await metrics()).get('chat_turns_in_progress')).toBe(0);
});

it('a failed turn is published, with its message, its reason and its session', async () => {
  const { owner, say, aSession, stored, failures } = await aTalker();
  const session = await aSession();
  await say({ request: 'fail' });
  await say({ request: 'nothing', session });
  await leave(owner, 'hang', 1);
  const messages = await stored();
  expect(messages.map(({ direction }) => direction)).toEqual(['outgoing', 'outgoing', 'outgoing']);
  const of = (index: number, error: string, more: object = {}) => ({
    ...owner,
    message_id: messages[index]!._id,
    avatar_id: 'puppet',
    chat_type: 'text',
    language_code: 'en',
    error,
    ...more,
  });
  expect(failures().map(({ data }) => data)).toEqual([
    of(0, 'engine_failed'),
    of(1, 'engine_failed', { session }),
    of(2, 'client_left'),
  ]);
});

it('both messages of a turn are stored with its session, or both without, and with the name of its avatar', async () => {
  const { say, aSession, stored } = await aTalker();
  const session = await aSession();
  await say({ request: 'one', session, avatar_id: 'other' });
  await say({ request: 'two' });
  const [asked, answered, ...without] = await stored();
  expect([asked, answered]).toMatchObject([{ session }, { session, avatar_name: 'Other' }]);
  expect(without.map((message) => 'session' in message || 'file_id' in message)).toEqual([false, false]);
  expect(without[1]).toMatchObject({ avatar_name: 'Puppet' });
});

it('an answer that is incomplete at the timeout is not stored', async () => {
  const { say, stored } = await aTalker(hasty);
  expect(await say({ request: 'stall 2' })).toMatchObject({ status: 504, body: { error: 'answer_timeout' } });
  expect(await stored()).toMatchObject([{ direction: 'outgoing' }]);
});

it('an answer is spoken with the voice of its avatar, and its audio stored with its length and phonemes', async () => {
  const { say } = await aTalker();
  const { body } = await say({ request: 'Hello', avatar_id: 'other', chat_type: 'voice' });
  await say({ request: 'Hello', chat_type: 'voice' });
  const [other, puppet] = test.app.get(Understudy).asked.slice(-2);
  expect(other).toMatchObject({ text: 'You said: Hello', language_code: 'en', voice: OTHER.voice });
  expect(puppet!.voice).toBeUndefined();
  const { pathname, search } = new URL(body.incoming.fileUrl);
  const details = await test.call({ path: `${pathname}/details${search}` });
  expect(details.body).toMatchObject({ seconds: 1.5, phonemes: [{ phoneme: 'a', start: 0.1, end: 0.2 }] });
});

it('the latest twenty turns with the same avatar are its history', async () => {
  const { say } = await aTalker();
  for (let n = 1; n <= 22; n++) await say({ request: String(n) });
  const { history } = test.app.get(PuppetEngine).asked.at(-1)!;
  expect(history.map(({ request }) => request)).toEqual(Array.from({ length: 20 }, (_, n) => String(n + 2)));
});

it('a stream has headers against caching and buffering', async () => {
  const { say } = await aTalker();
  const { headers } = await say({ request: 'x' }, { accept: 'text/event-stream' });
  expect(headers).toMatchObject({ 'cache-control': 'no-store, no-transform', 'x-accel-buffering': 'no' });
});

it('a refused turn keeps no slot', async () => {
  const { say } = await aTalker();
  for (let n = 0; n < 3; n++) expect((await say({ request: 'x', avatar_id: 'nobody' })).status).toBe(404);
  expect((await metrics()).get('chat_turns_in_progress')).toBe(0);
});

it('faults that engines and speakers find in their entries are reported with their path', async () => {
  const catalogue = test.app.get(CatalogueService);
  const scripted = { ...PUPPET, _id: 'bad', engine: { kind: 'scripted', script: 'none' } };
  const project = { avatars: ['bad'], languages: ['en'], speech: { speaker: { kind: 'understudy', loud: true } } };
  const file = JSON.stringify({
    avatars: [PUPPET, scripted, { ...scripted, _id: 'worse' }],
    projects: [{ project_id: aProject(), ...project }],
  });
  expect(await catalogue.check(file)).toEqual([
    { place: 'avatars[1].engine.script', problem: 'there is no such folder of scripts' },
    { place: 'avatars[2].engine.script', problem: 'there is no such folder of scripts' },
    { place: 'projects[0].speech.speaker.loud', problem: 'is not known here' },
  ]);
});
