/** A sixty-word answer that a language model streams word by word, and how soon it is heard. */
import { createServer } from 'node:http';
import { startService, tokenOf, untilReady } from './harness.mjs';

const ANSWER =
  'The moon is about three hundred and eighty thousand kilometres away. If you could drive there by car, day and night, you would be on your way for half a year. Light takes a little more than a second. The astronauts of nineteen sixty nine needed three days, and they had to bring along all that they wanted to eat.';
const WORD_MS = 25;

/** Streams the answer as the OpenAI API does. */
function writeAnswer(response) {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const words = ANSWER.match(/\S+\s*/g) ?? [];
  const send = () => {
    const content = words.shift();
    const choice = { index: 0, delta: content ? { content } : {}, finish_reason: content ? null : 'stop' };
    const chunk = { id: 'one', object: 'chat.completion.chunk', created: 1, model: 'slow', choices: [choice] };
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    if (content) setTimeout(send, WORD_MS);
    else response.end('data: [DONE]\n\n');
  };
  send();
}

/**
 * Milliseconds from the first word after the first sentence, which marks its end, until its audio has been read.
 *
 * @param {number} count of answers after the first one, which starts the speaker
 * @returns {Promise<number[]>}
 */
export async function firstSounds(count) {
  const model = createServer((request, response) => request.resume().on('end', () => writeAnswer(response)));
  await new Promise((resolve) => model.listen(0, '127.0.0.1', () => resolve(undefined)));
  const address = /** @type {import('node:net').AddressInfo} */ (model.address());
  const service = await startService({
    OPENAI_BASE_URL: `http://127.0.0.1:${address.port}/v1`,
    OPENAI_API_KEY: 'none',
    OPENAI_MODEL: 'slow',
    MONGODB_URI: 'embedded::memory:',
    SPEECH_MODELS: 'off',
    RATE_LIMIT: 'off',
  });
  try {
    await untilReady(service.port);
    const token = await tokenOf(service.port);
    const times = [];
    for (let n = 0; n <= count; n++) times.push(await firstSound(service.url, token));
    return times.slice(1);
  } finally {
    await service.stop();
    model.close();
  }
}

async function firstSound(url, token) {
  const response = await fetch(`${url}/chat`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream', 'content-type': 'application/json' },
    body: JSON.stringify({ avatar_id: 'bruno', chat_type: 'voice', language_code: 'en', request: 'And the moon?' }),
  });
  let [received, known, heard] = ['', NaN, NaN];
  const second = ANSWER.indexOf('. ') + 2;
  if (!response.body) throw new Error('There is no answer');
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    received += text;
    const events = received.split('\n\n').slice(0, -1);
    const said = events.filter((event) => event.includes('event: delta')).map((event) => dataOf(event).text);
    if (Number.isNaN(known) && said.join('').length > second) known = performance.now();
    const audio = events.find((event) => event.includes('event: audio'));
    if (!audio || !Number.isNaN(heard)) continue;
    heard = Infinity;
    await (await fetch(dataOf(audio).url)).arrayBuffer();
    heard = performance.now();
  }
  if (!(heard > known)) throw new Error('The answer was not spoken sentence by sentence');
  return heard - known;
}

/** @param {string} event @returns {any} */
const dataOf = (event) => JSON.parse(event.slice(event.indexOf('data: ') + 'data: '.length));
