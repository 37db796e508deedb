import { setImmediate as soon } from 'node:timers/promises';
import { HOST } from '../../test/host.js';
import { Conversation, type Item } from '../session/conversation.js';
import { firstConfig, updatedConfig } from '../session/session.config.js';
import { Upstream } from './upstream.js';

type Listener = { signal: AbortSignal; onEvent(event: object): void; onLost(wasAnswering: boolean): void };

const entry = { kind: 'openai-realtime', model: 'm' } as never;
const avatar = { _id: 'ada', name: 'Ada', greetingText: '', engine: entry };
const item = { id: 'one', role: 'assistant', status: 'completed', text: '', spoken: true } as Item;

/** The upstream of a session, with a server that does what it is asked. */
function anUpstream(clientContext = false) {
  const resolved = {
    project: { settings: { chat_types: ['voice'], clientContext } },
    languages: [{ language_code: 'en' }],
  } as never;
  const conversation = new Conversation();
  const [sent, refused, listeners]: [any[], unknown[], Listener[]] = [[], [], []];
  const server = { open: async () => undefined as void, respond: async function* (): AsyncGenerator<never> {} };
  let config = firstConfig(resolved, 'en');
  const realtime = {
    open: async (_: unknown, listener: Listener) => {
      listeners.push(listener);
      await server.open();
      const send = (event: object) => void sent.push(event);
      return { send, attempt: send, close: () => undefined, respond: () => server.respond() };
    },
  };
  const upstream = new Upstream(entry, {
    parts: {
      host: HOST,
      realtime,
      engines: { kindOf: () => 'openai-realtime' },
      usage: { count: () => undefined, countTokens: () => undefined },
      answers: { earlier: async () => [] },
      prompts: { paragraphsFor: async () => ['Be brief.'] },
    } as never,
    conversation,
    participants: () => ({ owner: {}, avatar, resolved }) as never,
    config: () => config,
    refuse: (error) => void refused.push(error),
  });
  const configure = (audio: object) => {
    config = updatedConfig(config, { audio }, resolved);
    upstream.configure();
  };
  return { upstream, server, sent, refused, listeners, configure, conversation };
}

it('a session that ends while its upstream connects gets no events from it', async () => {
  const { upstream, server, refused } = anUpstream();
  let fail = (_: Error) => undefined as void;
  server.open = () => new Promise((_, reject) => (fail = reject));
  const opening = upstream.open();
  await soon();
  upstream.close();
  fail(new Error('x'));
  await opening;
  expect(refused).toEqual([]);
});

it('takes no manual turn without a connection, and backs off before it reconnects for input', async () => {
  const { upstream, server, refused, listeners } = anUpstream();
  server.open = () => Promise.reject(new Error('x'));
  const listener = upstream.listen(() => undefined);
  expect(listener.commit()).toBe(false);
  listener.push(new Int16Array(480));
  await soon();
  await soon();
  expect(refused).toHaveLength(1);
  listener.push(new Int16Array(480));
  await soon();
  expect(listeners).toHaveLength(1);
});

it('an empty answer that was cancelled has not failed, any other has', async () => {
  const { upstream, refused } = anUpstream();
  const stopping = new AbortController();
  const reply = { relayed: (ask: (signal: AbortSignal) => AsyncIterable<unknown>) => ask(stopping.signal) } as never;
  const say = async (signal: AbortSignal) => {
    for await (const _ of upstream.say(reply, item, signal));
  };
  await expect(say(new AbortController().signal)).rejects.toMatchObject({ code: 'engine_failed' });
  stopping.abort();
  await say(stopping.signal);
  expect(refused).toHaveLength(1);
});

it('an answer that is cancelled while the server is connected ends at once, and the next one uses the connection', async () => {
  const { upstream, server, listeners, refused } = anUpstream();
  let open = () => undefined as void;
  server.open = () => new Promise((resolve) => (open = resolve));
  const limit = new AbortController();
  const reply = { relayed: (ask: (signal: AbortSignal) => AsyncIterable<unknown>) => ask(limit.signal) } as never;
  const say = async (signal: AbortSignal) => {
    for await (const _ of upstream.say(reply, item, signal));
  };
  const stopping = new AbortController();
  const cancelled = say(stopping.signal);
  await soon();
  stopping.abort();
  await cancelled;
  let asked = 0;
  const { respond } = server;
  server.respond = () => {
    asked++;
    return respond();
  };
  const next = say(new AbortController().signal);
  open();
  await expect(next).rejects.toMatchObject({ code: 'engine_failed' });
  expect([asked, listeners.length, refused.length]).toEqual([1, 1, 1]);
});

it('tells the server what prompt sources know', async () => {
  const { upstream, sent } = anUpstream();
  await upstream.open();
  expect(sent[0].session.instructions).toMatch(/\n\nBe brief\.$/);
});

it('the loss of a connection that was replaced is ignored', async () => {
  const { upstream, refused, listeners } = anUpstream();
  await upstream.open();
  upstream.close();
  await upstream.open();
  listeners[0]!.onLost(false);
  expect(refused).toEqual([]);
  listeners[1]!.onLost(true);
  expect(refused).toEqual([]);
});

it('an error of the server is reported, except for one to a manual turn, whose transcript is lost', async () => {
  const { upstream, refused, listeners } = anUpstream();
  const heard: object[] = [];
  const listener = upstream.listen((one) => heard.push(one));
  await upstream.open();
  listener.push(new Int16Array(24_000));
  expect(listener.commit()).toBe(true);
  const [{ onEvent }] = listeners as [Listener];
  onEvent({ type: 'error', error: { event_id: 'input_commit' } });
  expect(refused).toEqual([]);
  expect(heard.at(-1)).toMatchObject({ event: 'final', text: undefined });
  onEvent({ type: 'error' });
  expect(refused).toHaveLength(1);
  onEvent({ type: 'news', event_id: 'theirs', text: 'x' });
  onEvent({ type: 'rate_limits.updated' });
});

it('semantic turn detection is passed on without the options of the other kind', async () => {
  const { upstream, sent, configure } = anUpstream();
  await upstream.open();
  configure({ input: { turn_detection: { type: 'semantic_vad' } } });
  const manual = { create_response: false, interrupt_response: false };
  expect(sent.at(-1).session.audio.input.turn_detection).toEqual({ type: 'semantic_vad', ...manual });
  configure({ input: { turn_detection: null } });
  expect(sent.at(-1).session.audio.input.turn_detection).toBeNull();
});

it.each([
  [false, ['new']],
  [true, ['rule', 'old', 'older answer', 'new']],
])('with clientContext %s, the server gets %j of a conversation', async (clientContext, texts) => {
  const { upstream, sent, conversation } = anUpstream(clientContext);
  const add = (role: Item['role'], text: string, more: Partial<Item> = {}) =>
    conversation.add({ id: text, role, status: 'completed', text, spoken: false, ...more });
  add('system', 'rule', { isSeeded: true });
  add('user', 'old');
  add('assistant', 'older answer', { isSeeded: true });
  add('tool', 'output', { isSeeded: true, result_of: 'c' });
  add('user', 'new');
  const reply = {
    relayed: (ask: (signal: AbortSignal) => AsyncIterable<unknown>) => ask(new AbortController().signal),
  };
  const say = async () => {
    for await (const _ of upstream.say(reply as never, item, new AbortController().signal));
  };
  await expect(say()).rejects.toMatchObject({ code: 'engine_failed' });
  const items = sent.filter(({ type }) => type === 'conversation.item.create');
  expect(items.map((event) => event.item.content[0].text)).toEqual(texts);
});
