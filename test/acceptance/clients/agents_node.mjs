/** `@openai/agents-realtime`: RealtimeSession over a WebSocket. */
import { setTimeout as delay } from 'node:timers/promises';
import { OpenAIRealtimeWebSocket, RealtimeAgent, RealtimeSession, tool } from '@openai/agents-realtime';
import { AVATAR, openMicrophone, step, TOKEN, until, WS } from './common.mjs';

/** @type {unknown[]} */
const called = [];
const weather = tool({
  name: 'get_weather',
  description: 'The weather of a city.',
  parameters: /** @type {any} */ ({
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: true,
  }),
  strict: false,
  execute: async (args) => (called.push(args), '21 degrees'),
});

async function connect() {
  const transport = new OpenAIRealtimeWebSocket({ url: `${WS}/v1/realtime?model=${AVATAR}` });
  const agent = new RealtimeAgent({ name: 'Ada', instructions: 'Say PINEAPPLE.', tools: [weather] });
  const session = new RealtimeSession(agent, { transport });
  /** @type {any[]} */
  const events = [];
  /** @type {unknown[]} */
  const errors = [];
  session.on('error', (error) => errors.push(error));
  transport.on('*', (event) => events.push(event));
  let interruptions = 0;
  session.on('audio_interrupted', () => interruptions++);
  await session.connect({ apiKey: TOKEN });
  const next = (/** @type {string} */ type, from = 0) =>
    until(() => events.slice(from).find((event) => event.type === type));
  const said = (/** @type {string} */ role) =>
    session.history
      .flatMap((item) => (item.type === 'message' && item.role === role ? /** @type {any[]} */ (item.content) : []))
      .map((part) => part.transcript ?? part.text ?? '')
      .filter(Boolean);
  return { session, events, errors, next, said, interruptions: () => interruptions };
}

const { session, events, errors, next, said, interruptions } = await connect();
await delay(500);
step('connect', errors.length === 0, errors);
session.sendMessage('Hello there');
step(
  'typed turn',
  (await next('response.done')) && said('assistant').join(' ').includes('PINEAPPLE'),
  said('assistant'),
);
const microphone = openMicrophone((piece) =>
  session.sendAudio(/** @type {ArrayBuffer} */ (piece.buffer.slice(piece.byteOffset, piece.byteOffset + piece.length))),
);
let from = events.length;
microphone.say('moon');
step('spoken turn', await next('response.done', from));
step('transcript', await until(() => /moon/i.test(said('user').join(' ')), 3), said('user'));
from = events.length;
session.sendMessage('Say something long');
await next('response.output_audio.delta', from);
microphone.say('stop');
step(
  'interruption',
  (await until(interruptions)) && (await next('response.done', from))?.response.status === 'cancelled',
);
step('answer to it', await next('response.done', events.length));
await delay(500);
microphone.stop();
session.sendMessage('What is the weather in Paris?');
step('tool', await until(() => /21 degrees/.test(said('assistant').join(' '))), [called, said('assistant')]);
step('history', said('user').length >= 4 && said('assistant').length >= 4, session.history);
step('types of events', errors.length === 0, errors);
session.close();
const again = await connect();
again.session.sendMessage('Hello there');
step('reconnect', await again.next('response.done'), again.errors);
process.exit(0);
