/** openai (Node): OpenAIRealtimeWS. */
import { Agent } from 'node:https';
import { createRequire } from 'node:module';
import { connect as connectSocket } from 'node:net';
import { resolve } from 'node:path';
import { AVATAR, BASE, openMicrophone, step, TOKEN, until } from './common.mjs';

const load = createRequire(resolve(process.env.PACKAGES ?? '', 'package.json'));
const { OpenAI } = load('openai');
const { OpenAIRealtimeWS } = load('openai/realtime/ws');

/** Stands in for a proxy that ends TLS, on which the package insists. */
class Terminator extends Agent {
  /** @override @param {any} options @returns {any} */
  createConnection({ host, port }) {
    return connectSocket({ host, port });
  }
}

const client = new OpenAI({ apiKey: TOKEN, baseURL: `${BASE}/v1` });

function connect() {
  const socket = new OpenAIRealtimeWS({ model: AVATAR, options: { agent: new Terminator() } }, client);
  /** @type {any[]} */
  const events = [];
  socket.on('event', (event) => events.push(event));
  /** @type {unknown[]} */
  const errors = [];
  socket.on('error', (error) => errors.push(error.message));
  const next = (/** @type {string} */ type, from = 0) =>
    until(() => events.slice(from).find((event) => event.type === type));
  const ask = (/** @type {any} */ event, /** @type {string} */ type) => {
    const from = events.length;
    socket.send(event);
    return next(type, from);
  };
  return { socket, events, errors, next, ask };
}

const message = (/** @type {string} */ text) => ({
  type: 'conversation.item.create',
  item: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
});
const said = (/** @type {any} */ done) => done?.response.output[0]?.content?.[0].transcript ?? '';
const parameters = { type: 'object', properties: { city: { type: 'string' } } };
const tools = [{ type: 'function', name: 'get_weather', description: 'The weather.', parameters }];

const { socket, events, errors, next, ask } = connect();
step('connect', await next('session.created'));
await ask(
  { type: 'session.update', session: { type: 'realtime', instructions: 'Say PINEAPPLE.', tools } },
  'session.updated',
);
const greeting = await ask({ type: 'response.create' }, 'response.done');
step('greeting', said(greeting), greeting);
socket.send(/** @type {any} */ (message('Hello there')));
step('typed turn', said(await ask({ type: 'response.create' }, 'response.done')).includes('PINEAPPLE'));

const microphone = openMicrophone((piece) =>
  socket.send({ type: 'input_audio_buffer.append', audio: piece.toString('base64') }),
);
let from = events.length;
microphone.say('moon');
const heard = await next('conversation.item.input_audio_transcription.completed', from);
step('transcript', /moon/i.test(heard?.transcript), heard);
step('spoken turn', said(await next('response.done', from)));
from = events.length;
socket.send(/** @type {any} */ (message('Say something long')));
socket.send({ type: 'response.create' });
await next('response.output_audio.delta', from);
microphone.say('stop');
step('interruption', (await next('response.done', from))?.response.status === 'cancelled');
step('answer to it', await next('response.done', events.length));
microphone.stop();

socket.send(/** @type {any} */ (message('What is the weather in Paris?')));
const [call] = (await ask({ type: 'response.create' }, 'response.done'))?.response.output ?? [];
const item = { type: 'function_call_output', call_id: call?.call_id, output: '21 degrees' };
socket.send(/** @type {any} */ ({ type: 'conversation.item.create', item }));
const answered = said(await ask({ type: 'response.create' }, 'response.done'));
step('tool', answered.includes('21 degrees'), answered);
const known = await ask({ type: 'conversation.item.retrieve', item_id: heard?.item_id }, 'conversation.item.retrieved');
step('history', /moon/i.test(known?.item.content[0].transcript), known);
step('types of events', errors.length === 0, errors);
socket.close();

const again = connect();
await again.next('session.created');
again.socket.send(/** @type {any} */ (message('Hello there')));
step('reconnect', said(await again.ask({ type: 'response.create' }, 'response.done')), again.errors);
process.exit(0);
