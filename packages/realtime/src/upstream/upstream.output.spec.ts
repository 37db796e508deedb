import type { RealtimePart } from 'avatar-chat-models';
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

it('words without audio are not sent if the answer fails', async () => {
  async function* failing(parts: object[]) {
    yield* parts;
    throw new Error('x');
  }
  const said = async (...parts: object[]) => {
    let text = '';
    const output = new UpstreamOutput(failing(parts) as never, true, () => undefined);
    const reading = (async () => {
      for await (const one of output.utterances()) text += one.text;
    })();
    await expect(reading).rejects.toThrow('x');
    return text;
  };
  expect(await said({ text: 'Hello.' })).toBe('');
  expect(await said({ text: 'Hello.' }, { sound: Buffer.alloc(4800, 1) })).toBe('Hello.');
});

it('reasoning in an answer in text is no part of it, and a spoken answer is taken as it is', async () => {
  const soon = () => new Promise(setImmediate);
  async function* parts() {
    yield { text: 'They greet me. ' };
    await soon();
    yield { text: 'Hm.</thi' };
    yield { text: 'nk>Hello.' };
  }
  const utterances = [];
  for await (const one of new UpstreamOutput(parts(), false, () => undefined).utterances()) utterances.push(one);
  expect(utterances.at(-1)).toEqual({ text: 'Hello.', restarts: true });
  const held = [];
  for await (const one of new UpstreamOutput(parts(), false, () => undefined, true).utterances()) held.push(one);
  expect(held).toEqual([{ text: 'Hello.' }]);
  const { utterances: spoken } = await spokenBy([{ text: '<think>Hello.' }]);
  expect(spoken[0]!.text).toBe('<think>Hello.');
});
