/** The ten utterances said by a WebSocket client of the project's own, beside which the pipelines of frameworks are measured. */
import { setTimeout as delay } from 'node:timers/promises';
import { LiveClient } from '../live/client.mjs';

/** Milliseconds without sound after which an answer has been played, and of an answer before it is interrupted. */
const [PLAYED_MS, OVER_MS] = [2000, 1000];

/**
 * @param {number} port
 * @param {string} token
 * @param {Record<string, import('../live/utterances.mjs').Utterance>} utterances
 * @returns {Promise<number[]>} milliseconds from the end of each utterance to the first sound
 */
export async function talkByWebSocket(port, token, utterances) {
  const client = await LiveClient.open(`ws://127.0.0.1:${port}/v1/realtime?model=ada`, token);
  const parameters = { type: 'object', properties: { city: { type: 'string' } } };
  const tools = [{ type: 'function', name: 'get_weather', description: 'The weather of a city', parameters }];
  client.send('session.update', { session: { type: 'realtime', instructions: 'Say PINEAPPLE.', tools } });
  await client.until('session.updated');
  client.listen();
  const sounds = () => client.events.filter(({ type }) => type === 'response.output_audio.delta');
  /** @type {number[]} */
  const firsts = [];
  const answerCalls = async (/** @type {number} */ since) => {
    const { call_id } = /** @type {any} */ (await client.until('response.function_call_arguments.done', since));
    await client.until('response.done', since);
    client.send('conversation.item.create', { item: { type: 'function_call_output', call_id, output: '21 degrees' } });
    client.send('response.create');
  };
  for (const [name, { samples }] of Object.entries(utterances)) {
    const { last } = await client.say(samples);
    if (name === 'weather') await answerCalls(last);
    const first = await client.until('response.output_audio.delta', last);
    firsts.push(first.at - last);
    if (name === 'long') await delay(OVER_MS);
    else while (performance.now() - (sounds().at(-1)?.at ?? 0) < PLAYED_MS) await delay(50);
  }
  await client.close();
  if (client.faults.length > 0) throw new Error(client.faults.join(', '));
  return firsts;
}
