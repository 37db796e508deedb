/** What a client's functions cost while none is called: processor time per turn of the serving process, with and without. */
import { randomUUID } from 'node:crypto';
import { ownCpu } from '../../../bench/usage.mjs';
import { tokenOf } from '../harness.mjs';
import { LiveClient } from './client.mjs';
import { percentile } from './stages.mjs';

const [BLOCKS, TURNS, SPOKEN] = [5, 40, 3];
const TOOLS = Array.from({ length: 20 }, (_, at) => ({
  type: 'function',
  name: `look_up_${at}`,
  description: `Looks something up in list ${at}, and returns what stands there, with its date and its source.`,
  parameters: {
    type: 'object',
    properties: {
      query: { type: 'string', description: 'What to look for, in the words of the user.' },
      limit: { type: 'integer', minimum: 1, maximum: 10 },
      order: { type: 'string', enum: ['newest', 'oldest', 'best'] },
    },
    required: ['query'],
    additionalProperties: false,
  },
}));

/**
 * In blocks of four sessions, without, with, with and without, so that what comes first or later costs neither more.
 *
 * @param {{ port: number, pid: number }} service whose model is a stub
 * @param {Int16Array} words
 * @returns {Promise<Record<'typed' | 'spoken', { without: number, more: number }>>} milliseconds per turn, medians of all blocks
 */
export async function measureTools({ port, pid }, words) {
  const url = `ws://127.0.0.1:${port}/v1/realtime?model=ada&language_code=en`;
  const perTurn = async (/** @type {number} */ turns, /** @type {() => Promise<unknown>} */ take) => {
    await take();
    const before = ownCpu(pid);
    for (let turn = 0; turn < turns; turn++) await take();
    return (ownCpu(pid) - before) / turns;
  };
  const talk = async (/** @type {object[]} */ tools) => {
    const client = await LiveClient.open(url, await tokenOf(port, randomUUID()));
    client.send('session.update', { session: { tools, output_modalities: ['text'] } });
    await client.until('session.updated');
    const took = { typed: await perTurn(TURNS, () => typed(client)), spoken: NaN };
    client.listen();
    took.spoken = await perTurn(SPOKEN, () => spoken(client, words));
    await client.close();
    if (client.faults.length > 0) throw new Error(client.faults.join());
    return took;
  };
  const blocks = [];
  for (let at = 0; at < BLOCKS; at++)
    blocks.push([await talk([]), await talk(TOOLS), await talk(TOOLS), await talk([])]);
  const both = (/** @type {'typed' | 'spoken'} */ kind) => {
    const without = blocks.map(([first, , , last]) => (first[kind] + last[kind]) / 2);
    const more = blocks.map(([, one, other], at) => (one[kind] + other[kind]) / 2 - without[at]);
    return { without: percentile(without, 0.5), more: percentile(more, 0.5) };
  };
  return { typed: both('typed'), spoken: both('spoken') };
}

/** @param {LiveClient} client */
async function typed(client) {
  const since = performance.now();
  const content = [{ type: 'input_text', text: 'What do you see?' }];
  client.send('conversation.item.create', { item: { type: 'message', role: 'user', content } });
  client.send('response.create');
  await client.until('response.done', since);
}

/** @param {LiveClient} client @param {Int16Array} words */
async function spoken(client, words) {
  const since = performance.now();
  await client.say(words);
  await client.until('response.done', since);
}
