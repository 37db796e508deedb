import type { RealtimePart } from '../../openai/index.js';
import { UpstreamOutput } from './upstream.output.js';

const spokenBy = async (parts: readonly RealtimePart[], isSpoken = true) => {
  const names: string[] = [];
  async function* all() {
    yield* parts;
  }
  const utterances = [];
  for await (const one of new UpstreamOutput(all(), isSpoken, (id) => names.push(id)).utterances())
    utterances.push(one);
  return { names, utterances };
};

it('audio of any length is split, and keeps all its samples and words', async () => {
  const sound = Buffer.alloc(2 * 30_000, 1);
  const parts = [{ item_id: 'one' }, { text: 'Hello, how ' }, { sound }, { text: 'are you?' }, { sound }];
  const { names, utterances } = await spokenBy(parts as never);
  expect(names).toEqual(['one']);
  const lengths = (await Promise.all(utterances.map(({ sound }) => sound))).map((one) => one!.samples.length);
  expect(Math.max(...lengths)).toBe(12_000);
  expect(lengths.reduce((sum, length) => sum + length)).toBe(60_000);
  expect(utterances.map(({ text }) => text).join('')).toBe('Hello, how are you?');
});

it('words without audio are sent anyway', async () => {
  const { utterances } = await spokenBy([{ text: 'Hello.' }] as never);
  expect(utterances).toMatchObject([{ text: 'Hello.', sound: { words: [{ text: 'Hello.', start: 0, end: 0 }] } }]);
  expect((await spokenBy([{ text: 'Hello.' }] as never, false)).utterances).toEqual([{ text: 'Hello.' }]);
});
