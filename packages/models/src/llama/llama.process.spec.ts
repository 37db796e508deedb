import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { LlamaProcess } from './llama.process.js';

/** Says a word; then, unless it is asked for "end", nothing any more, and does not stop either. */
const LIBRARY = `
  const sequence = { tokenMeter: { getState: () => ({ usedInputTokens: 0, usedOutputTokens: 0 }) } };
  const context = { getSequence: () => sequence };
  const model = { tokenizer: 0, trainContextSize: 1000, createContext: async () => context };
  export const getLlama = async () => ({ loadModel: async () => model });
  export class LlamaChat {
    chatWrapper = { generateContextState: () => ({ contextText: { tokenize: () => [] } }) };
    async generateResponse(history, { onTextChunk }) {
      onTextChunk('Well');
      if (history.at(-1).text !== 'end') await new Promise(() => setInterval(() => {}, 1000));
      return { metadata: { stopReason: 'eogToken' } };
    }
  }`;
const requestOf = (content: string) => ({
  messages: [{ role: 'user' as const, content }],
  functions: [],
  conversation: 'a',
  context_tokens: 500,
  max_tokens: 100,
  temperature: 0,
});

class ImpatientProcess extends LlamaProcess {
  protected override readonly stopMs = 200;
}

describe('a process that goes on with an answer that is stopped', () => {
  let dir: string;
  let process: LlamaProcess;
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'avatar-chat-llama-'));
    await writeFile(join(dir, 'library.mjs'), LIBRARY);
    const library = pathToFileURL(join(dir, 'library.mjs'));
    process = new ImpatientProcess({ library, model: 'a.gguf', contextSize: 1000, slots: 1 });
  });
  afterAll(async () => {
    process.stop();
    await rm(dir, { recursive: true });
  });
  const wordsOf = async (answer: AsyncIterable<string>) => {
    const words: string[] = [];
    for await (const word of answer) words.push(word);
    return words;
  };
  const answers = () => wordsOf(process.answer(requestOf('end'), new AbortController().signal));

  it('is ended if its caller waits for the next word, and started again', async () => {
    const leaving = new AbortController();
    const answer = process.answer(requestOf('hang'), leaving.signal);
    expect((await answer.next()).value).toBe('Well');
    const next = answer.next();
    leaving.abort();
    await expect(next).rejects.toThrow('its process ended');
    expect(await answers()).toEqual(['Well']);
  });

  it('is ended if its caller has left', async () => {
    const answer = process.answer(requestOf('hang'), new AbortController().signal);
    await answer.next();
    await answer.return(undefined as never);
    expect(await answers()).toEqual(['Well']);
  });

  it('is not ended if it answers in time', async () => {
    const leaving = new AbortController();
    const answer = process.answer(requestOf('end'), leaving.signal);
    await answer.next();
    leaving.abort();
    expect((await answer.next()).done).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(process.isReady).toBe(true);
  });
});
