import { RETRACT } from 'avatar-chat-models';
import type { SpeechSamples } from 'avatar-chat-media';
import { SentenceSource, spokenSentences } from './sentence.source.js';

async function* pieces(...all: string[]) {
  yield* all;
}
const silent = async () => undefined as SpeechSamples | undefined;
const textsOf = async (source: SentenceSource, signal: AbortSignal, speak = silent) => {
  const texts = [];
  for await (const { text } of spokenSentences(source, speak, () => undefined, signal)) texts.push(text);
  return texts;
};

it('the first sentence is split into clauses, all others are whole', async () => {
  const source = new SentenceSource(
    pieces('This is the first sentence, and it has two clauses. ', 'The next one has, as you can see, three.'),
    'en',
  );
  const texts = await textsOf(source, new AbortController().signal);
  expect(texts.length).toBeGreaterThan(2);
  expect(texts.at(-1)).toBe('The next one has, as you can see, three.');
  expect(texts.slice(0, -1).join('')).toBe('This is the first sentence, and it has two clauses. ');
});

it('nobody waits for sentences of an answer that was interrupted', async () => {
  const never = async function* () {
    yield 'Hello there. How are you? ';
    await new Promise(() => undefined);
  };
  const cut = new AbortController();
  const sentences = spokenSentences(new SentenceSource(never(), 'en'), silent, () => undefined, cut.signal);
  expect((await sentences.next()).value).toMatchObject({ text: 'Hello there. ' });
  cut.abort();
  expect((await sentences.next()).done).toBe(true);
  expect(await textsOf(new SentenceSource(never(), 'en'), cut.signal)).toEqual([]);
});

it('retracted sentences are not spoken, even if they have been synthesized', async () => {
  const wait = () => new Promise(setImmediate);
  const answer = async function* () {
    yield 'They greet me. I should answer. I wonder how. ';
    for (let n = 0; n < 5; n++) await wait();
    yield RETRACT;
    yield 'Hello. Welcome!';
  };
  const source = new SentenceSource(answer(), 'en');
  const told: (string | true)[] = [];
  for await (const { text, restarts } of spokenSentences(
    source,
    silent,
    () => undefined,
    new AbortController().signal,
  )) {
    told.push(...(restarts ? [true as const] : []), text);
    for (let n = 0; n < 10; n++) await wait();
  }
  expect(told).toEqual(['They greet me. ', true, 'Hello. ', 'Welcome!']);
});

it('an answer of which nothing remains says so before it fails', async () => {
  const answer = async function* () {
    yield 'They greet me. I should answer. ';
    await new Promise(setImmediate);
    yield RETRACT;
    throw new Error('nothing');
  };
  const told: unknown[] = [];
  const sentences = spokenSentences(new SentenceSource(answer(), 'en'), silent, () => undefined, AbortSignal.any([]));
  const read = async () => {
    for await (const { text, restarts } of sentences) told.push([text, restarts]);
  };
  await expect(read()).rejects.toThrow('nothing');
  expect(told.at(-1)).toEqual(['', true]);
});
