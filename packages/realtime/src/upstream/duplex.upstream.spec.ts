import { setImmediate as soon } from 'node:timers/promises';
import { HOST } from '../../test/host.js';
import { Conversation, type Item } from '../session/conversation.js';
import { firstConfig } from '../session/session.config.js';
import { DuplexUpstream } from './duplex.upstream.js';

// Jest's clock does not know of these.
jest.mock('node:timers/promises', () => ({
  ...jest.requireActual<object>('node:timers/promises'),
  setTimeout: (ms: number) => new Promise((resolve) => setTimeout(resolve, ms)),
}));

const entry = { kind: 'openai-live', model: 'm' } as never;
const avatar = { _id: 'ada', name: 'Ada', engine: entry };
const resolved = { project: { settings: { chat_types: ['voice'] } } } as never;
const HUGE = Buffer.alloc(1_000_001).toString('base64');
const SILENT = Buffer.alloc(4800).toString('base64');
const LOUD = Buffer.from(new Int16Array(2400).fill(1000).buffer).toString('base64');

/** The upstream of a session, with a server that says what the test says. */
function anUpstream() {
  const [sent, refused, heard]: [any[], any[], any[]] = [[], [], []];
  const conversation = new Conversation();
  let receiveEvent!: (event: object) => void;
  let now = 0;
  let turn_detection = firstConfig(resolved, 'en').turn_detection;
  jest.spyOn(performance, 'now').mockImplementation(() => now);
  const realtime = {
    openLive: async (_: unknown, __: unknown, { onEvent }: { onEvent(event: object): void }) => {
      receiveEvent = onEvent;
      return { send: (event: object) => void sent.push(event), close: () => undefined };
    },
  };
  const upstream = new DuplexUpstream(entry, {
    parts: {
      host: HOST,
      realtime,
      engines: { kindOf: () => 'openai-live' },
      usage: { count: () => undefined },
    } as never,
    conversation,
    participants: () => ({ owner: {}, avatar, resolved }) as never,
    config: () => ({ ...firstConfig(resolved, 'en'), turn_detection }),
    refuse: (error) => void refused.push(error),
  });
  const listener = upstream.listen((one) => void heard.push(one));
  return {
    upstream,
    sent,
    refused,
    heard,
    listener,
    conversation,
    receiveEvent: (event: object) => receiveEvent(event),
    /** Turns end manually. */
    manual: () => void (turn_detection = null),
    /** The server says something aloud. */
    utter: (delta: string) => {
      receiveEvent({ type: 'session.output_transcript.delta', delta });
      receiveEvent({ type: 'session.output_audio.delta', delta: LOUD });
    },
    hears: (delta: string) => receiveEvent({ type: 'session.input_transcript.delta', delta, start_ms: 0 }),
    /** Time goes on. */
    wait: async (ms: number) => {
      for (let passed = 0; passed < ms; passed += 50) {
        now += 50;
        jest.advanceTimersByTime(50);
        for (let turn = 0; turn < 3; turn++) await soon();
      }
    },
    /** What is said of an answer, as it is when that has ended. */
    say: (reply: object, text: string | Promise<string>, stopping = new AbortController()) => {
      let at = 0;
      const sentences = () => ({ at: async () => (at++ === 0 ? text : undefined) });
      const item = { id: 'one', role: 'assistant', status: 'completed', text: '', spoken: true } as Item;
      const said = (async () => {
        let words = '';
        for await (const one of upstream.say(reply as never, item, stopping.signal, {} as never, sentences as never))
          words += one.text;
        return words.trim();
      })();
      said.catch(() => undefined);
      return said;
    },
  };
}

beforeEach(() => jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'performance', 'queueMicrotask'] }));
afterEach(() => {
  jest.restoreAllMocks();
  jest.useRealTimers();
});

const USER = { id: 'u', role: 'user', status: 'completed', text: 'Hello', spoken: true } as const;

it('what the server says by itself is cut by a new connection before a message', async () => {
  const { upstream, say, wait, sent, utter } = anUpstream();
  await upstream.open();
  utter('I am here by myself. ');
  const said = say({ cue: 'Say it' }, 'I am Sam.');
  await wait(200);
  expect(sent).toMatchObject([
    { type: 'session.close' },
    { type: 'session.commentary.append', content: 'Say this to the user now: I am Sam.' },
  ]);
  utter('I am Sam.');
  await wait(1000);
  await wait(100);
  expect(await said).toBe('I am Sam.');
});

it.each<[string, (of: ReturnType<typeof anUpstream>) => unknown]>([
  ['the turn was not answered', ({ upstream }) => upstream.ignoreTurn()],
  ['the user has said more since', ({ hears }) => hears('Hello?')],
  ['the connection was replaced', ({ upstream }) => (upstream.close(true), upstream.open())],
])('what the server has said by itself is not heard later if %s', async (_name, happens) => {
  const of = anUpstream();
  const { upstream, conversation, say, wait, sent, utter } = of;
  conversation.add(USER);
  await upstream.open();
  utter('I am here by myself. ');
  await wait(900);
  await happens(of);
  const said = say({}, 'I am Ada.');
  await wait(2100);
  expect(sent.at(-1)).toMatchObject({ content: 'Say this to the user now: I am Ada.' });
  utter('I am Ada.');
  await wait(1000);
  expect(await said).toBe('I am Ada.');
});

it('an answer goes on after a late piece of the transcript of what it answers', async () => {
  const { upstream, conversation, say, wait, receiveEvent, utter, hears } = anUpstream();
  conversation.add(USER);
  await upstream.open();
  receiveEvent({ type: 'session.output_transcript.delta', delta: 'Sure, ' });
  hears(' there');
  utter('I am.');
  const said = say({}, 'Never asked for.');
  await wait(4000);
  expect(await said).toBe('Sure, I am.');
});

it('a turn that was not answered is not answered later by what is still being said to it', async () => {
  const { upstream, conversation, say, wait, utter, hears, receiveEvent } = anUpstream();
  conversation.add(USER);
  await upstream.open();
  utter('I am ');
  upstream.ignoreTurn();
  utter('here by ');
  hears('Are you?');
  utter('myself. ');
  await wait(900);
  receiveEvent({ type: 'session.delegation.created', delegation: { id: 'd', target: 'client' } });
  const said = say({}, 'I am Ada.');
  await wait(50);
  utter('I am Ada.');
  await wait(1000);
  expect(await said).toBe('I am Ada.');
});

it('an engine that fails after its answer was cancelled does not end the next answer', async () => {
  const { upstream, say, wait, utter } = anUpstream();
  await upstream.open();
  const stopping = new AbortController();
  let fail!: (error: Error) => void;
  const failing = new Promise<never>((_, reject) => (fail = reject));
  const cancelled = say({ cue: 'Say it' }, failing, stopping);
  await wait(50);
  stopping.abort();
  expect(await cancelled).toBe('');
  const said = say({ cue: 'Say it' }, 'I am Sam.');
  await wait(50);
  fail(new Error('x'));
  await wait(50);
  utter('I am Sam.');
  await wait(1000);
  expect(await said).toBe('I am Sam.');
});

it('what was still being said when an answer failed is not heard with the next', async () => {
  const { upstream, say, wait, utter, receiveEvent } = anUpstream();
  await upstream.open();
  const failed = say({ cue: 'Say it' }, 'I am Sam.');
  await wait(50);
  utter('I am ');
  receiveEvent({ type: 'error', error: { client_event_id: 'answer' } });
  await expect(failed).rejects.toMatchObject({ code: 'engine_failed' });
  utter('Sam. ');
  await wait(900);
  receiveEvent({ type: 'session.delegation.created', delegation: { id: 'd', target: 'client' } });
  const said = say({}, 'I am Ada.');
  await wait(50);
  utter('I am Ada.');
  await wait(1000);
  expect(await said).toBe('I am Ada.');
});

it('a flood of errors and words is neither told nor kept', async () => {
  const { upstream, receiveEvent, hears, heard, refused, wait } = anUpstream();
  await upstream.open();
  for (let count = 0; count < 1000; count++) receiveEvent({ type: 'error', error: { message: 'x' } });
  expect(refused).toHaveLength(1);
  await wait(10_000);
  receiveEvent({ type: 'error' });
  expect(refused).toHaveLength(2);
  for (let count = 0; count < 100; count++) hears('x'.repeat(1000));
  expect(heard.filter(({ event }) => event === 'partial')).toHaveLength(32);
  expect(heard.at(-1).text).toHaveLength(32_000);
});

it('what is not an event of the API changes nothing, and a manual turn without words has an empty transcript', async () => {
  const { upstream, conversation, say, receiveEvent, heard, refused, sent, wait, listener, manual } = anUpstream();
  manual();
  await upstream.open();
  for (const delegation of [
    undefined,
    { id: 7, target: 'client' },
    { id: 'd' },
    { id: 'd'.repeat(200), target: 'client' },
  ])
    receiveEvent({ type: 'session.delegation.created', delegation });
  for (const delta of [undefined, 7, '', '%%', SILENT, LOUD])
    receiveEvent({ type: 'session.output_audio.delta', delta });
  for (let count = 0; count < 30; count++) receiveEvent({ type: 'session.output_audio.delta', delta: HUGE });
  receiveEvent({ type: 'session.output_transcript.delta', delta: 'x'.repeat(300_000) });
  receiveEvent({ type: 'news' });
  listener.clear();
  listener.push(new Int16Array(24_000));
  expect([listener.commit(), listener.commit()]).toEqual([true, false]);
  listener.clear();
  await wait(1000);
  expect(heard.map(({ event, text }) => [event, text])).toEqual([
    ['stopped', undefined],
    ['final', ''],
  ]);
  conversation.add(USER);
  const stopped = new AbortController();
  const unsaid = say({}, 'I am Ada.', stopped);
  await wait(100);
  stopped.abort();
  expect([await unsaid, await say({}, 'I am Ada.', stopped)]).toEqual(['', '']);
  await wait(100);
  const stopping = new AbortController();
  const said = say({}, 'I am Ada.', stopping);
  await wait(2100);
  expect(sent.at(-1)).toMatchObject({ delegation_id: null });
  stopping.abort();
  expect(await said).toBe('');
  expect(refused).toEqual([]);
});
