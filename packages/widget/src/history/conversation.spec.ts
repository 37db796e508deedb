import type { Message, Turn, TurnEvent } from 'avatar-chat-client';
import type { TalkOptions } from '../views/talk-options.js';
import { Conversation, type Entry } from './conversation.js';
import type { Listener } from './listener.js';

/** The turns that were sent, each with what makes its recording understood. */
let sent: { turn: Turn; signal: AbortSignal; understand(words: string): void }[];
let entries: Set<Entry>;
let unsent: unknown[];
/** The words whose answers were spoken. */
let spoken: string[];
let conversation: Conversation;

async function* stream(turn: Turn, { signal }: { signal: AbortSignal }): AsyncGenerator<TurnEvent> {
  const stopped = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error));
  });
  const words = await Promise.race([
    stopped,
    new Promise<string>((understand) => sent.push({ turn, signal, understand })),
  ]);
  const message = { _id: words, date: Date.now(), direction: 'outgoing', request: words } as Message;
  yield { event: 'outgoing', message } as TurnEvent;
  yield { event: 'audio', sentence: { text: words, url: 'http://localhost/speech' } } as TurnEvent;
  await stopped;
}

const record = () => void conversation.sendMessage(undefined, new Blob(['sound'])).catch(() => undefined);
const settled = () => new Promise((resolve) => setTimeout(resolve));
const mine = () => [...entries].filter((entry) => entry.mine).map(({ text, state }) => `${text}: ${state}`);

beforeEach(() => {
  sent = [];
  entries = new Set();
  unsent = [];
  spoken = [];
  const listener = new Proxy({} as Listener, {
    get: (_, name) => (entry: Entry) => {
      if (name === 'sentence') spoken.push(entry.text);
      if (name === 'changed') entries.add(entry);
      if (name === 'removed') entries.delete(entry);
    },
  });
  const options = {
    client: { stream },
    store: { setCut: () => undefined, addUnsent: ({ turn }: { turn: Turn }) => unsent.push(turn.request) },
    service: 'http://localhost',
    choice: { avatar: { _id: 'ada', name: 'Ada' }, language_code: 'en', chat_type: 'voice' },
    connection: { session: 'session' },
  } as unknown as TalkOptions;
  conversation = new Conversation(options, listener);
});

it('keeps a recording that is not understood yet when the user goes on speaking', async () => {
  record();
  await settled();
  conversation.listen();
  record();
  conversation.listen();
  record();
  await settled();
  expect(sent.map(({ signal }) => signal.aborted)).toEqual([false]);
  expect(mine()).toEqual([': waiting', ': waiting', ': waiting']);
  for (const words of ['one', 'two', 'three']) {
    sent.at(-1)!.understand(words);
    await settled();
    await settled();
  }
  expect(sent.map(({ signal }) => signal.aborted)).toEqual([true, true, false]);
  expect(mine()).toEqual(['one: done', 'two: done', 'three: done']);
});

it('sends a text that was written meanwhile afterwards, and settles with its answer', async () => {
  record();
  await settled();
  let hasEnded = false;
  const ended = conversation.sendMessage('text').finally(() => (hasEnded = true));
  sent[0]!.understand('spoken');
  await settled();
  await settled();
  sent[1]!.understand('text');
  await settled();
  expect(mine()).toEqual(['spoken: done', 'text: done']);
  expect(hasEnded).toBe(false);
  conversation.interrupt();
  await ended;
});

it('sends each of several texts that wait only after the one before it is confirmed', async () => {
  record();
  await settled();
  for (const words of ['one', 'two']) void conversation.sendMessage(words);
  sent[0]!.understand('spoken');
  await settled();
  await settled();
  void conversation.sendMessage('three');
  expect(sent.map(({ signal }) => signal.aborted)).toEqual([true, false]);
  for (const words of ['one', 'two', 'three']) {
    sent.at(-1)!.understand(words);
    await settled();
    await settled();
  }
  expect(sent.map(({ turn }) => turn.request)).toEqual([undefined, 'one', 'two', 'three']);
  expect(mine()).toEqual(['spoken: done', 'one: done', 'two: done', 'three: done']);
});

it('still offers to send a recording that failed when another device has sent one, was answered and removed it', async () => {
  record();
  await settled();
  conversation.interrupt();
  await settled();
  const spoken = { _id: 'q', request: 'elsewhere', date: Date.now(), avatar_name: 'Ada' } as Message;
  conversation.receive({ ...spoken, direction: 'outgoing', fileUrl: 'http://localhost/files/q' });
  conversation.receive({ ...spoken, _id: 'a', direction: 'incoming', answer: 'Yes.' });
  expect(mine()).toEqual([': failed', 'elsewhere: done']);
  conversation.forget(['q', 'a']);
  const [entry, ...others] = entries;
  expect(others).toEqual([]);
  expect(entry).toMatchObject({ state: 'failed', retry: expect.any(Function), recording: expect.any(Blob) });
  entry!.retry!();
  await settled();
  conversation.interrupt();
  await settled();
  expect(entry).toMatchObject({ state: 'failed', retry: expect.any(Function) });
});

it('shows a recording once that failed but had arrived, after it was sent again', async () => {
  record();
  await settled();
  conversation.interrupt();
  await settled();
  const message = { _id: 'q', request: 'q', date: Date.now(), direction: 'outgoing' } as Message;
  conversation.receive({ ...message, fileUrl: 'http://localhost/files/q' });
  [...entries].find(({ retry }) => retry)!.retry!();
  await settled();
  sent.at(-1)!.understand('q');
  await settled();
  await settled();
  expect(mine()).toEqual(['q: done']);
});

it('speaks no answer to what was sent before the user went on speaking, unless it is sent again', async () => {
  record();
  await settled();
  void conversation.sendMessage('text');
  conversation.listen();
  record();
  for (const words of ['one', 'text', 'three']) {
    sent.at(-1)!.understand(words);
    await settled();
    await settled();
  }
  expect(spoken).toEqual(['three']);
  record();
  await settled();
  conversation.listen();
  conversation.interrupt();
  await settled();
  [...entries].find(({ state }) => state === 'failed')!.retry!();
  sent.at(-1)!.understand('four');
  await settled();
  expect(spoken).toEqual(['three', 'four']);
});

it('keeps a text that waits when the page is left', async () => {
  record();
  await settled();
  void conversation.sendMessage('text');
  conversation.saveUnsent();
  expect(unsent).toEqual(['text']);
});

it('stops what waits when the user stops it, and offers to send it again', async () => {
  record();
  await settled();
  record();
  conversation.interrupt();
  await settled();
  expect(sent.map(({ signal }) => signal.aborted)).toEqual([true]);
  expect(mine()).toEqual([': failed', ': failed']);
  expect([...entries].every(({ retry }) => retry !== undefined)).toBe(true);
});
