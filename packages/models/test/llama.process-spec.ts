import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { llamaPackage } from '../../../test/support/llama-package.js';
import { tinyGguf } from '../../../test/support/tiny-gguf.js';
import type { LlamaRequest, LlamaResult } from '../src/llama/llama.messages.js';
import { LlamaError, LlamaProcess } from '../src/llama/llama.process.js';

let library: URL | undefined;
let directory: string;
let model: string;
const processes: LlamaProcess[] = [];

beforeAll(async () => {
  library = await llamaPackage();
  directory = await mkdtemp(join(tmpdir(), 'avatar-chat-llama-'));
  model = join(directory, 'tiny.gguf');
  await writeFile(model, tinyGguf());
}, 180_000);
afterEach(() => processes.splice(0).forEach((one) => one.stop()));
afterAll(() => rm(directory, { recursive: true, force: true }));

const start = (path = model, contextSize = 2048) => {
  const process = new LlamaProcess({ library: library!, model: path, contextSize, slots: 2 });
  processes.push(process);
  return process;
};
const childOf = (process: LlamaProcess) =>
  (process as unknown as { child: { kill(signal: string): void; pid: number } }).child;

const request = (more: Partial<LlamaRequest> = {}): LlamaRequest => ({
  messages: [
    { role: 'system', content: 'You are kind.' },
    { role: 'user', content: 'Hello' },
  ],
  functions: [],
  conversation: 'a',
  context_tokens: 1500,
  max_tokens: 40,
  temperature: 0.7,
  ...more,
});

interface Answered extends LlamaResult {
  readonly pieces: string[];
}
async function ask(process: LlamaProcess, more: Partial<LlamaRequest> = {}, signal = new AbortController().signal) {
  const pieces: string[] = [];
  const answer = process.answer(request(more), signal);
  for (;;) {
    const next = await answer.next();
    if (next.done) return { pieces, ...next.value } satisfies Answered;
    pieces.push(next.value);
  }
}

// Where the package cannot be had, that is printed, and there is nothing to test.
it('streams an answer, and counts tokens', async () => {
  if (!library) return;
  const { pieces, completion_tokens, prompt_tokens, calls } = await ask(start());
  expect(pieces.length).toBeGreaterThan(1);
  expect(completion_tokens).toBeGreaterThan(1);
  // Each byte is a token, as are the marks around messages.
  expect(prompt_tokens).toBe(Buffer.byteLength('system\nYou are kind.\nuser\nHello\nassistant\n') + 6);
  expect(calls).toEqual([]);
});

it('cuts the oldest turns to the context, never the request', async () => {
  if (!library) return;
  const process = start();
  const turns = Array.from({ length: 20 }, (_, index) => [
    { role: 'user' as const, content: `${index}`.repeat(50) },
    { role: 'assistant' as const, content: 'Yes.'.repeat(10) },
  ]).flat();
  const [system, user] = request().messages;
  const { prompt_tokens } = await ask(process, {
    messages: [system!, ...turns, user!],
    context_tokens: 500,
    max_tokens: 2,
  });
  expect(prompt_tokens).toBeLessThanOrEqual(500);
  expect(prompt_tokens).toBeGreaterThan(300);
  const long = { role: 'user' as const, content: 'x'.repeat(600) };
  await expect(ask(process, { messages: [system!, long], context_tokens: 500 })).rejects.toThrow(LlamaError);
});

it('ends when it was idle for ten minutes, and starts again', async () => {
  if (!library) return;
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance'] });
  try {
    const process = start();
    const answer = process.answer(request(), new AbortController().signal);
    await answer.next();
    const child = childOf(process) as unknown as ChildProcess;
    jest.advanceTimersByTime(15 * 60_000);
    expect(child.killed).toBe(false);
    await answer.return(undefined as never);
    jest.advanceTimersByTime(15 * 60_000);
    await once(child, 'exit');
    expect((await ask(process)).pieces).not.toEqual([]);
    jest.advanceTimersByTime(9 * 60_000);
    await process.prepare();
    jest.advanceTimersByTime(9 * 60_000);
    expect(childOf(process)).toMatchObject({ killed: false });
  } finally {
    jest.useRealTimers();
  }
});

it('answers two at a time, and fails one that is asked beyond its slots', async () => {
  if (!library) return;
  const process = start();
  await process.prepare();
  const all = await Promise.allSettled(['a', 'b', 'c'].map((conversation) => ask(process, { conversation })));
  expect(all.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
});

it('ends an answer with its signal or its reader, and has the slot again', async () => {
  if (!library) return;
  const process = start();
  const leaving = new AbortController();
  const answer = process.answer(request({ max_tokens: 1500, conversation: 'b' }), leaving.signal);
  await answer.next();
  leaving.abort();
  const reader = process.answer(request({ max_tokens: 1500, conversation: 'c' }), new AbortController().signal);
  await reader.next();
  await reader.return(undefined as never);
  for await (const _ of answer);
  const both = await Promise.all([ask(process, { max_tokens: 5 }), ask(process, { max_tokens: 5, conversation: 'd' })]);
  expect(both.map(({ completion_tokens }) => completion_tokens <= 6)).toEqual([true, true]);
});

it('fails what a crash interrupts, and starts again', async () => {
  if (!library) return;
  const process = start();
  await process.prepare();
  const { pid } = childOf(process);
  const answer = process.answer(request({ max_tokens: 1500 }), new AbortController().signal);
  await answer.next();
  childOf(process).kill('SIGKILL');
  await expect(
    (async () => {
      for await (const _ of answer);
    })(),
  ).rejects.toThrow('its process ended');
  expect((await ask(process)).pieces).not.toEqual([]);
  expect(childOf(process).pid).not.toBe(pid);
});

it('knows a file that is no model, and one that is cut off, and does not try at once again', async () => {
  if (!library) return;
  const cut = join(directory, 'cut.gguf');
  await writeFile(cut, tinyGguf().subarray(0, 100_000));
  const process = start(cut);
  await expect(process.prepare()).rejects.toThrow(LlamaError);
  const { pid } = childOf(process);
  await expect(process.prepare()).rejects.toThrow(LlamaError);
  expect(childOf(process).pid).toBe(pid);
});

it('ends at once when it is stopped, and not by signals to the group', async () => {
  if (!library) return;
  const process = start();
  const answer = process.answer(request({ max_tokens: 1500 }), new AbortController().signal);
  await answer.next();
  childOf(process).kill('SIGTERM');
  await answer.next();
  process.stop();
  const rest = async () => {
    for await (const _ of answer);
  };
  // On a fast machine it may have been whole before.
  const end = await rest().catch((error: unknown) => error);
  expect(end === undefined || end instanceof LlamaError).toBe(true);
  await delay(0);
  await expect(ask(process)).rejects.toThrow(LlamaError);
});

it('takes functions, calls and results in a prompt', async () => {
  if (!library) return;
  const messages: LlamaRequest['messages'] = [
    { role: 'user', content: 'Go.' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: '1', function: { name: 'go', arguments: '{"to":"bed"}' } }],
    },
    { role: 'tool', content: '"gone"', tool_call_id: '1' },
  ];
  const parameters = { type: 'object', properties: { to: { type: 'string', pattern: '^b' } }, required: ['to'] };
  const functions = [{ name: 'go', description: 'Goes.', parameters }];
  const { completion_tokens } = await ask(start(model, 6000), { messages, functions, context_tokens: 5000 });
  expect(completion_tokens).toBeGreaterThan(0);
});
