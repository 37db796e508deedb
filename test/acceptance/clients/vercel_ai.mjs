/**
 * `ai` with `@ai-sdk/openai`: the session that `useRealtime` holds in a browser, and the endpoint of an application that
 * creates its client secrets. Only the loudspeaker is not a browser's.
 */
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { AVATAR, BASE, openMicrophone, step, TOKEN, until } from './common.mjs';

const load = createRequire(join(process.env.PACKAGES ?? '', 'package.json'));
const { createOpenAI } = load('@ai-sdk/openai');
const { Experimental_AbstractRealtimeSession: Session } = load('ai');

/** A loudspeaker, which plays in real time. */
class AudioContext {
  state = 'running';
  destination = {};
  get currentTime() {
    return performance.now() / 1000;
  }
  createBuffer(/** @type {number} */ _channels, /** @type {number} */ length, /** @type {number} */ rate) {
    const samples = new Float32Array(length);
    return { duration: length / rate, getChannelData: () => samples };
  }
  createBufferSource() {
    /** @type {any} */
    const source = { connect() {}, disconnect() {}, stop: () => clearTimeout(source.timer) };
    source.start = (/** @type {number} */ at) => {
      const left = at + source.buffer.duration - this.currentTime;
      source.timer = setTimeout(() => source.onended?.(), left * 1000);
    };
    return source;
  }
  async resume() {}
  async close() {}
}
Object.assign(globalThis, { AudioContext, WebSocket });

const openai = createOpenAI({ apiKey: TOKEN, baseURL: `${BASE}/v1` });
const tools = [
  {
    type: 'function',
    name: 'get_weather',
    description: 'The weather of a city.',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
];
const endpoint = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  const sessionConfig = { ...JSON.parse(body).sessionConfig, tools };
  const setup = await openai.experimental_realtime.getToken({ model: AVATAR, sessionConfig });
  // The provider expects TLS, which the service has no part in.
  response.end(JSON.stringify({ ...setup, url: setup.url.replace('wss:', 'ws:'), tools }));
});
await new Promise((resolve) => endpoint.listen(0, '127.0.0.1', () => resolve(undefined)));
const { port } = /** @type {import('node:net').AddressInfo} */ (endpoint.address());

/** @type {unknown[]} */
const called = [];
/** @type {string[]} */
const errors = [];
/** @type {any[]} */
const events = [];

/** What a page would show. */
class Talk extends Session {
  /** @type {Record<string, any>} */
  shown = { messages: [] };
  constructor() {
    super({
      model: openai.experimental_realtime(AVATAR),
      api: { token: `http://127.0.0.1:${port}` },
      sessionConfig: {
        instructions: 'Say PINEAPPLE.',
        inputAudioTranscription: {},
        voice: 'alloy',
        turnDetection: { type: 'server-vad' },
      },
      onToolCall: (/** @type {any} */ { toolCall }) =>
        (called.push(toolCall.args), '21 degrees'),
      onEvent: (/** @type {any} */ event) => events.push(event),
      onError: (/** @type {Error} */ error) => errors.push(error.message),
    });
  }
  setState(/** @type {string} */ key, /** @type {unknown} */ value) {
    this.shown = { ...this.shown, [key]: value };
  }
  said(/** @type {string} */ role) {
    return this.shown.messages
      .filter((/** @type {any} */ one) => one.role === role)
      .flatMap((/** @type {any} */ { parts }) => parts.flatMap((/** @type {any} */ { text }) => text ?? []));
  }
}

const next = (/** @type {string} */ type, from = 0) =>
  until(() => events.slice(from).find((event) => event.type === type));

const talk = new Talk();
await talk.connect();
step('connect', await until(() => talk.shown.status === 'connected'), [talk.shown.status, errors]);
talk.requestResponse();
step('greeting', (await next('response-done')) && talk.said('assistant').length > 0, talk.said('assistant'));
let from = events.length;
talk.sendTextMessage('Hello there');
step(
  'typed turn',
  (await next('response-done', from)) && talk.said('assistant').at(-1)?.includes('PINEAPPLE'),
  talk.said('assistant'),
);
await until(() => !talk.shown.isPlaying);
const microphone = openMicrophone((piece) => talk.sendAudio(piece.toString('base64')));
from = events.length;
microphone.say('moon');
step('spoken turn', (await next('response-done', from))?.status === 'completed');
step('transcript', await until(() => /moon/i.test(talk.said('user').join(' ')), 3), talk.said('user'));
await until(() => !talk.shown.isPlaying);
from = events.length;
talk.sendTextMessage('Say something long');
await until(() => talk.shown.isPlaying);
await delay(500);
microphone.say('stop');
const cut = await next('response-done', from);
const truncated = await until(() => events.slice(from).find(({ rawType }) => rawType?.endsWith('item.truncated')), 3);
step('interruption', cut?.status === 'cancelled' && truncated, [cut?.status, truncated]);
step('answer to it', (await next('response-done', events.length))?.status === 'completed');
await delay(500);
microphone.stop();
await until(() => !talk.shown.isPlaying);
talk.sendTextMessage('What is the weather in Paris?');
step('tool', await until(() => /21 degrees/.test(talk.said('assistant').join(' '))), [called, talk.said('assistant')]);
step('history', talk.said('user').length >= 5 && talk.said('assistant').length >= 5, talk.shown.messages);
talk.disconnect();
from = events.length;
await talk.connect();
await until(() => talk.shown.status === 'connected');
talk.sendTextMessage('Hello again');
step('reconnect', (await next('response-done', from))?.status === 'completed');
step('types of events', errors.length === 0, errors);
process.exit(0);
