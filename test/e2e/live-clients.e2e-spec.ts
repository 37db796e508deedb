import { Agent } from 'node:https';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { RealtimeAgent, RealtimeSession, OpenAIRealtimeWebSocket } from '@openai/agents-realtime';
import OpenAI from 'openai';
import { OpenAIRealtimeWS } from 'openai/realtime/ws';
import { CatalogueService } from '../../src/index.js';
import { type TranscriptionEvent } from 'avatar-chat-media';
import { SpeechService } from '../../src/speech/index.js';
import { PUPPET, PuppetModule } from '../support/engines.js';
import { anyServer, aProject, aUser, createTestApp, type TestApp } from '../support/index.js';

let test: TestApp;
let port: number;
const project_id = aProject();

beforeAll(async () => {
  test = await createTestApp({ server: anyServer(), modules: [PuppetModule] });
  port = await test.listen();
  await test.app.get(CatalogueService).apply(
    JSON.stringify({
      avatars: [{ ...PUPPET, _id: 'live', hasLiveMode: true }],
      projects: [{ project_id, avatars: ['live'], languages: ['en'], settings: { messageTimeoutSeconds: 5 } }],
    }),
  );
});
afterAll(() => test.close());

/** A stand-in for a TLS-terminating proxy: the openai client insists on `wss:`. */
class Terminator extends Agent {
  override createConnection() {
    return connect(port, '127.0.0.1') as never;
  }
}

const historyOf = async (user_id: string, token: string) =>
  (await test.call({ path: `/chat?user_id=${user_id}`, token })).body.payload.reverse();

it('the client of the package openai works unmodified', async () => {
  const user_id = aUser();
  const token = await test.token(user_id, project_id);
  const client = new OpenAI({ apiKey: token, baseURL: `https://127.0.0.1:${port}/v1` });
  const live = new OpenAIRealtimeWS({ model: 'live', options: { agent: new Terminator() } }, client);
  try {
    const faults: unknown[] = [];
    live.on('error', (error) => faults.push(error));
    await new Promise((resolve) => live.once('session.created', resolve));
    live.send({ type: 'session.update', session: { type: 'realtime', output_modalities: ['text'] } });
    const content = [{ type: 'input_text' as const, text: 'one two' }];
    live.send({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content } });
    live.send({ type: 'response.create' });
    const done = await new Promise<{ response: { status?: string } }>((resolve) => live.once('response.done', resolve));
    expect(done.response.status).toBe('completed');
    expect(await historyOf(user_id, token)).toMatchObject([{ request: 'one two' }, { answer: 'You said: one two' }]);
    expect(faults).toEqual([]);
  } finally {
    live.close();
  }
});

it('the session of @openai/agents-realtime works unmodified, in both directions', async () => {
  let hear: (heard: TranscriptionEvent) => void = () => undefined;
  jest.spyOn(test.app.get(SpeechService, { strict: false }), 'listen').mockImplementation(async (_s, _o, heard) => {
    hear = heard;
    const nothing = () => undefined;
    return { push: nothing, configure: nothing, commit: () => true, clear: nothing, close: nothing };
  });
  const user_id = aUser();
  const token = await test.token(user_id, project_id);
  const transport = new OpenAIRealtimeWebSocket({ url: `ws://127.0.0.1:${port}/v1/realtime?model=live` });
  const session = new RealtimeSession(new RealtimeAgent({ name: 'Live' }), { transport, model: 'live' });
  const faults: unknown[] = [];
  let sound = 0;
  session.on('error', (error) => faults.push(error));
  session.on('audio', ({ data }) => (sound += data.byteLength));
  const done = () => new Promise((resolve) => transport.once('turn_done', resolve));
  try {
    await session.connect({ apiKey: token });
    let over = done();
    session.sendMessage('one two');
    await over;
    // Until it has been heard: the client would truncate it.
    await delay(sound / 48);
    session.sendAudio(new ArrayBuffer(4800));
    over = done();
    hear({ utterance: 1, event: 'started', at: 0 });
    hear({ utterance: 1, event: 'stopped', at: 100 });
    hear({ utterance: 1, event: 'final', text: 'three four' });
    await over;
    const wanted = ['one two', 'You said: one two', 'three four', 'You said: three four'];
    const shown = () =>
      session.history.map((item) => {
        const [part] = 'content' in item ? (item.content as { text?: string; transcript?: string }[]) : [];
        return part?.text ?? part?.transcript;
      });
    // It requests each item again when its transcript is available.
    for (let n = 0; n < 100 && shown().join() !== wanted.join(); n++) await delay(50);
    expect(shown()).toEqual(wanted);
    expect(sound).toBeGreaterThan(24_000);
    expect(await historyOf(user_id, token)).toHaveLength(4);
    expect(faults).toEqual([]);
  } finally {
    session.close();
    jest.restoreAllMocks();
  }
});
