import { setTimeout as delay } from 'node:timers/promises';
import { Readable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Config } from '../../src/platform/config/index.js';
import { OutgoingHttp, WebhookSender } from 'avatar-chat-runtime';
import { OpenAiEngine, OpenAiServers, OpenAiSpeaker, OpenAiTranscriber } from 'avatar-chat-models';
import { engineParts } from '../support/engine-parts.js';
import { BEHAVIOUR_NAMES, type HostilePeer, startHostilePeer, TestClock } from '../support/index.js';

/** How long each caller may wait for its peer here, in milliseconds; whatever exceeds the second is hung. */
const LIMIT_MS = 300;
const WEBHOOK_LIMIT_MS = 2000;
const HUNG_MS = 20_000;

let peer: HostilePeer;
let elsewhere: HostilePeer;
beforeAll(async () => {
  elsewhere = await startHostilePeer();
  peer = await startHostilePeer('never answers', `${elsewhere.url}/elsewhere`);
});
afterAll(() => {
  http.closeIdle();
  return Promise.all([peer.close(), elsewhere.close()]);
});

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const HUNG = 'still waiting';
/** The outcome of a call: its result or its error's message, as text, or that it never ended. */
async function outcomeOf(call: Promise<unknown>): Promise<string> {
  const outcome = call.then(
    (answer) => JSON.stringify(answer) ?? 'nothing',
    (error: Error) => `${error.name}: ${error.message}`,
  );
  const soon = await Promise.race([outcome, delay(LIMIT_MS / 3, undefined, { ref: false })]);
  if (soon !== undefined) return soon;
  collectGarbage(); // and with it a timer that nothing else references
  return Promise.race([outcome, delay(HUNG_MS, HUNG, { ref: false })]);
}

const config = new Config({ webhookTimeoutSeconds: WEBHOOK_LIMIT_MS / 1000 });
const http = new OutgoingHttp(config);
const servers = new OpenAiServers(config, http);
const entry = () => ({ kind: 'openai', base_url: `${peer.url}/v1`, model: 'm', system_prompt: 'You are kind.' });
const speechEntry = () => ({ kind: 'openai', base_url: `${peer.url}/v1`, model: 'm' });
/** Aborted when the caller gives up: some time after the peer has been called. */
const limit = () => {
  const controller = new AbortController();
  const timer = setInterval(() => {
    if (peer.heads.length === 0) return;
    clearInterval(timer);
    setTimeout(() => controller.abort(), LIMIT_MS);
  }, 20);
  return controller.signal;
};

/** All outgoing HTTP clients, and the expected outcomes of their calls. */
const CALLERS: [name: string, call: () => Promise<unknown>, outcome: RegExp][] = [
  [
    'a webhook',
    () =>
      new WebhookSender(config, new TestClock(), http).send(
        { url: `${peer.url}/hook`, id: 'evt_1', body: '{"words":"secret"}', keys: [Buffer.alloc(32)] },
        new AbortController().signal,
      ),
    /^\{("status":\d{3}(,"retryAfter":\d+)?|"error":"[A-Z][A-Z_]+")\}$/,
  ],
  [
    'a model',
    async () => {
      let answer = '';
      const turn = {
        project_id: 'default',
        user_id: 'ann',
        language_code: 'en',
        chat_type: 'text' as const,
        avatar: { _id: 'ada', name: 'Ada', greetingText: 'Hi' },
        engine: entry(),
        request: 'secret',
        message_id: '65f0c0ffee0000000000abcd',
        attempt: 1,
        history: [],
        signal: limit(),
      };
      for await (const piece of new OpenAiEngine(servers, engineParts()).reply(turn)) answer += String(piece);
      return answer;
    },
    // An empty answer was cut short by the caller.
    /^(""|EngineError: The avatar could not answer\.)$/,
  ],
  [
    'a speaker',
    () =>
      new OpenAiSpeaker(servers).speak({ entry: speechEntry(), text: 'secret', language_code: 'en', signal: limit() }),
    /^SpeechError: The speech provider .*\.$/,
  ],
  [
    'a transcriber',
    () =>
      new OpenAiTranscriber(servers).transcribe({
        entry: speechEntry(),
        audio: Readable.from([Buffer.from('RIFF')]),
        content_type: 'audio/wav',
        language_code: 'en',
        holders: ['somebody'],
        signal: limit(),
      }),
    /^(nothing|SpeechError: The speech provider .*\.)$/,
  ],
];

describe.each(CALLERS)('%s', (_name, call, outcome) => {
  it.each(BEHAVIOUR_NAMES)('settles, and disconnects from a peer that %s', async (behaviour) => {
    peer.behaviour = behaviour;
    peer.heads.length = 0;
    expect(await outcomeOf(call())).toMatch(outcome);
    expect(peer.heads.length).toBeGreaterThan(0);
    while (peer.open() > 0) await delay(10);
    expect(elsewhere.heads).toEqual([]);
  });
});
