import { setImmediate as soon } from 'node:timers/promises';
import { aborted } from 'avatar-chat-runtime';
import { HOST, KnownError } from '../../test/host.js';
import type { ServerEvent } from '../live.connection.js';
import { Conversation } from './conversation.js';
import { firstConfig } from './session.config.js';
import { StageTimes } from './stage.times.js';
import { TurnTaking } from './turn.taking.js';

type Said = { request: string; before?: string; key: string };

const nothing = async () => undefined;
const resolved = { project: { settings: { chat_types: ['voice'] } } } as never;

const begun: TurnTaking[] = [];
// An answer that is still being spoken would keep the process.
afterEach(() => {
  for (const turns of begun.splice(0)) void turns.abandon();
});

const aTalk = (settings: object = {}) => {
  const metrics = {
    interrupted: 0,
    interruptions: { inc: () => void metrics.interrupted++ },
    responses: { inc: () => undefined },
    stages: { observe: () => undefined },
  };
  const conversation = new Conversation();
  const events: Record<string, any>[] = [];
  const said: Said[] = [];
  const stored: string[] = [];
  const prompted: { request: string; isStored: boolean }[] = [];
  /** A fake engine that counts the turns. */
  const parts = {
    host: HOST,
    metrics,
    counts: { count: nothing as () => Promise<unknown> },
    engines: { isScripted: () => false, kindOf: () => 'puppet' },
    usage: { count: () => undefined },
    people: { hasTaken: async () => false },
    replies: {
      answer: async ({ request, before, key }: Said) => {
        said.push({ request, ...(before === undefined ? {} : { before }), key });
        const [begin, withdraw] = [async () => void stored.push('begun'), async () => void stored.push('withdrawn')];
        const finish = async () => {
          if (talk.isStoreAway) throw new Error('x');
        };
        return { begin, withdraw, finish, truncate: nothing, end: () => undefined, leave: () => undefined };
      },
      prompt: ({ request, isStored }: { request: string; isStored: boolean }) => {
        prompted.push({ request, isStored });
        return { begin: nothing, finish: nothing, withdraw: nothing, end: nothing, leave: nothing };
      },
      greeting: () => ({ begin: nothing, finish: nothing, withdraw: nothing, end: nothing, leave: nothing }),
    },
  };
  const talk = {
    isTranscribing: false,
    fails: false,
    hangs: false,
    isStoreAway: false,
    isPushToTalk: false,
    ignored: 0,
    position: 0,
    idle_timeout_ms: undefined as number | undefined,
    seconds: 1,
    text: 'Yes.',
  };
  const idle = () =>
    talk.idle_timeout_ms === undefined
      ? {}
      : { turn_detection: { ...firstConfig(resolved, 'en').turn_detection!, idle_timeout_ms: talk.idle_timeout_ms } };
  const turns = new TurnTaking({
    id: 'sess',
    parts: parts as never,
    conversation,
    times: new StageTimes(metrics),
    upstream: {
      say: async function* (_reply, _item, signal) {
        if (talk.fails) throw new Error('x');
        if (talk.hangs) return aborted(signal);
        yield { text: talk.text, sound: { samples: new Int16Array(24_000 * talk.seconds), phonemes: [], words: [] } };
      },
      truncated: () => undefined,
      ignoreTurn: () => void talk.ignored++,
    },
    participants: () => {
      const project = { settings: { chat_types: ['voice'], ...settings } };
      return { resolved: { project }, owner: {}, avatar: { engine: {} }, address: '' } as never;
    },
    position: () => talk.position,
    plays: () => undefined,
    config: () => ({ ...firstConfig(resolved, 'en'), ...(talk.isPushToTalk ? { turn_detection: null } : idle()) }),
    isTranscribing: () => talk.isTranscribing,
    send: (event: ServerEvent) => void events.push(event),
    refuse: (error) => void events.push({ type: 'error', error }),
    forget: () => void events.push({ type: 'forgotten' }),
  });
  begun.push(turns);
  const add = (id: string, text = id) =>
    conversation.add({ id, role: 'user', status: 'completed', text, spoken: false });
  const until = async (type: string, count = 1) => {
    while (events.filter((event) => event.type === type).length < count) await soon();
    return events.findLast((event) => event.type === type)!;
  };
  return { turns, parts, conversation, events, said, stored, prompted, talk, add, until };
};

it('an answer that has just been cancelled fails if its user is erased, and the conversation is forgotten', async () => {
  const { turns, parts, events, add, until } = aTalk();
  const { answer } = parts.replies;
  let finished = () => undefined as void;
  const finish = () => new Promise<void>((resolve) => (finished = resolve));
  parts.replies.answer = async (said) => ({ ...(await answer(said)), finish });
  add('one');
  turns.requestResponse({});
  await until('response.output_audio.delta');
  turns.cancel({});
  turns.onErased(new KnownError('user_erased'));
  await soon();
  finished();
  const { response } = await until('response.done');
  expect(response).toMatchObject({ status: 'failed', status_details: { error: { code: 'user_erased' } } });
  await until('forgotten');
  expect(events.at(-1)).toEqual({ type: 'forgotten' });
});

it('a response that is cancelled during its rate limit check is reported at once, and another may be requested', async () => {
  const { turns, parts, events, said, add, until } = aTalk();
  let counted = () => undefined as void;
  parts.counts.count = () => new Promise<void>((resolve) => (counted = resolve));
  add('one');
  turns.requestResponse({});
  expect(() => turns.requestResponse({})).toThrow('in progress already');
  turns.cancel({});
  expect(events).toMatchObject([{ type: 'response.done', response: { status: 'cancelled' } }]);
  expect(() => turns.cancel({})).toThrow('Cancellation failed');
  parts.counts.count = nothing;
  turns.requestResponse({});
  counted();
  expect((await until('response.done', 2)).response.status).toBe('completed');
  expect(said).toMatchObject([{ request: 'one' }]);
  expect(events.filter(({ type }) => type === 'response.created')).toHaveLength(1);
});

it('a response that is about to start when its user is erased is cancelled, and stores nothing', async () => {
  const { turns, parts, events, said, add } = aTalk();
  let counted = () => undefined as void;
  parts.counts.count = () => new Promise<void>((resolve) => (counted = resolve));
  add('one');
  turns.requestResponse({});
  turns.onErased(new KnownError('user_erased'));
  counted();
  await soon();
  expect(turns.isAnswering).toBe(false);
  expect(said).toEqual([]);
  expect(events).toMatchObject([{ type: 'response.done', response: { status: 'cancelled' } }, { type: 'forgotten' }]);
});

describe('a question whose connection is lost', () => {
  type Talk = ReturnType<typeof aTalk>;
  const OPTIONS = { metadata: { asked: 'one' }, max_output_tokens: 500 };
  const PENDING: [string, (talk: Talk) => () => void][] = [
    [
      'while its rate limit is checked',
      ({ parts }) => {
        let counted = () => undefined as void;
        parts.counts.count = () => new Promise<void>((resolve) => (counted = resolve));
        return () => ((parts.counts.count = nothing), counted());
      },
    ],
    ['while the avatar is asked', ({ talk }) => ((talk.hangs = true), () => void (talk.hangs = false))],
    [
      'while its answer is stored',
      ({ parts }) => {
        const { answer } = parts.replies;
        let begun = () => undefined as void;
        const begin = () => new Promise<void>((resolve) => (begun = resolve));
        parts.replies.answer = async (said) => ({ ...(await answer(said)), begin: begin as never });
        return () => ((parts.replies.answer = answer), begun());
      },
    ],
    [
      'while a transcript is pending',
      ({ talk }) => ((talk.isTranscribing = true), () => void (talk.isTranscribing = false)),
    ],
  ];
  const requestAndLose = async ({ turns }: Talk, letGo: () => void) => {
    turns.requestResponse({ response: OPTIONS });
    for (let n = 0; n < 5; n++) await soon();
    const abandoned = turns.abandon();
    letGo();
    await abandoned;
    for (let n = 0; n < 5; n++) await soon();
  };
  const askAndLose = (talk: Talk, letGo: () => void) => {
    talk.add('one');
    return requestAndLose(talk, letGo);
  };

  it.each(PENDING)('%s, is answered once the client is back, as it was requested', async (_when, hold) => {
    const talk = aTalk();
    await askAndLose(talk, hold(talk));
    const { length } = talk.events;
    for (let n = 0; n < 5; n++) await soon();
    expect([talk.turns.isAnswering, talk.events.length]).toEqual([false, length]);
    talk.turns.begin();
    while (talk.events.at(-1)?.response?.status !== 'completed') await soon();
    expect(talk.events.at(-1)!.response).toMatchObject(OPTIONS);
    expect(new Set(talk.said.map(({ key }) => key))).toEqual(new Set(['live:sess:one']));
    expect(talk.conversation.unanswered).toEqual([]);
  });

  it.each(['is about to start', 'is in progress', 'was cancelled'])(
    'is followed by what the client requests once it is back, also while the answer %s',
    async (when) => {
      const talk = aTalk();
      const { turns, parts, conversation, events, said, add, until } = talk;
      talk.talk.hangs = true;
      await askAndLose(talk, () => void (talk.talk.hangs = false));
      const { answer } = parts.replies;
      let go = () => undefined as void;
      parts.replies.answer = async (given) => {
        await new Promise<void>((resolve) => (go = resolve));
        return answer(given);
      };
      turns.begin();
      if (when !== 'is about to start') await until('response.created', 2);
      add('two');
      turns.requestResponse({ response: { metadata: { asked: 'two' } } });
      expect(() => turns.requestResponse({})).toThrow('in progress already');
      await until('response.created', 2);
      if (when === 'was cancelled') turns.cancel({});
      parts.replies.answer = answer;
      go();
      const { response } = await until('response.done', 3);
      expect(response).toMatchObject({ status: 'completed', metadata: { asked: 'two' } });
      expect(said.map(({ request }) => request)).toEqual(['one', 'one', 'two']);
      while (turns.isAnswering) await soon();
      expect([conversation.unanswered, events.filter(({ type }) => type === 'error')]).toEqual([[], []]);
      turns.requestResponse({ response: { instructions: 'Say goodbye.' } });
      expect(() => turns.requestResponse({})).toThrow('in progress already');
    },
  );

  it('is answered with what the client requests once it is back, if it cancels an answer that has not started', async () => {
    const talk = aTalk();
    const { turns, conversation, events, add, until } = talk;
    talk.talk.hangs = true;
    await askAndLose(talk, () => void (talk.talk.hangs = false));
    turns.begin();
    add('two');
    turns.requestResponse({ response: { metadata: { asked: 'two' } } });
    turns.cancel({});
    expect(events.at(-1)).toMatchObject({ response: { status: 'cancelled', ...OPTIONS } });
    expect((await until('response.done', 3)).response).toMatchObject({
      status: 'completed',
      metadata: { asked: 'two' },
    });
    while (turns.isAnswering) await soon();
    expect(conversation.unanswered).toEqual([]);
  });

  it.each(PENDING)('%s, brings the model results of functions, if it has some', async (_when, hold) => {
    const talk = aTalk({ clientContext: true });
    const { turns, parts, conversation, events, add, until } = talk;
    const { answer } = parts.replies;
    const told: object[] = [];
    parts.replies.answer = async ({ caller, ...given }: Said & { caller?: any }) => {
      told.push(caller.rounds.map(({ results }: { results: object }) => results));
      if (told.length === 1) caller.onCalls([{ calls: [{ id: 'c', name: 'f', args: '{}' }], results: {} }]);
      return answer(given);
    };
    add('zero');
    turns.requestResponse({});
    await until('response.done');
    while (turns.isAnswering) await soon();
    conversation.add({ id: 'r', role: 'tool', status: 'completed', text: '7', spoken: false, result_of: 'c' });
    await requestAndLose(talk, hold(talk));
    turns.begin();
    const isTold = ({ type, response }: Record<string, any>) =>
      type === 'response.done' && response.status === 'completed' && response.metadata?.asked === 'one';
    while (!events.some(isTold)) await soon();
    expect(told.at(-1)).toEqual([{ c: '7' }]);
  });

  it.each(['a message', 'a prompt'])('while only %s was about to start, is not answered unasked', async (what) => {
    const talk = aTalk();
    const { turns, parts, said, add, until } = talk;
    Object.assign(parts.replies, { message: parts.replies.greeting });
    if (what === 'a prompt') {
      [talk.talk.idle_timeout_ms, talk.talk.seconds] = [5, 0.01];
      turns.requestResponse({});
      await until('response.done');
    }
    let counted = () => undefined as void;
    parts.counts.count = () => new Promise<void>((resolve) => (counted = resolve));
    if (what === 'a message') turns.onMessage({ message_id: 'm', text: 'I am Sam.' });
    else await until('input_audio_buffer.timeout_triggered');
    add('one');
    const abandoned = turns.abandon();
    parts.counts.count = nothing;
    counted();
    await abandoned;
    for (let n = 0; n < 5; n++) await soon();
    turns.begin();
    for (let n = 0; n < 5; n++) await soon();
    expect([turns.isAnswering, said]).toEqual([false, []]);
  });

  it('after the client has cancelled, or within its answer, waits for the next request', async () => {
    const talk = aTalk();
    const { turns, events, add, until } = talk;
    talk.talk.hangs = true;
    add('one');
    turns.requestResponse({});
    await until('response.created');
    turns.cancel({});
    await turns.abandon();
    talk.talk.hangs = false;
    talk.talk.seconds = 10;
    turns.begin();
    for (let n = 0; n < 5; n++) await soon();
    expect(turns.isAnswering).toBe(false);
    turns.requestResponse({});
    await until('response.output_audio.delta');
    await turns.abandon();
    turns.begin();
    for (let n = 0; n < 5; n++) await soon();
    expect(events.filter(({ type }) => type === 'response.created')).toHaveLength(2);
  });

  it('while something else is asked out of band, is not answered unasked', async () => {
    const talk = aTalk();
    talk.talk.hangs = true;
    talk.add('one');
    talk.turns.requestResponse({ response: { conversation: 'none', input: [] } });
    await talk.until('response.created');
    await talk.turns.abandon();
    talk.talk.hangs = false;
    talk.turns.begin();
    for (let n = 0; n < 5; n++) await soon();
    expect([talk.turns.isAnswering, talk.said]).toEqual([false, []]);
  });
});

it('a response that starts while the user speaks is interrupted by their next word, and leaves nothing', async () => {
  const { turns, events, stored, talk, add, until } = aTalk();
  talk.isTranscribing = true;
  turns.interruptions.started('one');
  turns.interruptions.stopped(true);
  turns.interruptions.started('two');
  add('one');
  expect(turns.onTranscript('one', 'one')).toBe(true);
  talk.isTranscribing = false;
  turns.proceed();
  while (stored.length === 0) await soon();
  await soon();
  turns.interruptions.partial('two', 'and');
  const { response } = await until('response.done');
  expect(response).toMatchObject({ status: 'cancelled', status_details: { reason: 'turn_detected' } });
  expect(events.map(({ type }) => type)).toEqual(['response.created', 'response.done']);
  expect(stored).toEqual(['begun', 'withdrawn']);
});

it("the user's message of a failed answer is stored once, and asked again unchanged", async () => {
  const { turns, said, talk, add, until } = aTalk();
  talk.fails = true;
  const ask = async () => {
    const count = said.length + 1;
    turns.requestResponse({});
    await until('response.done', count);
    while (turns.isAnswering) await soon();
  };
  add('one');
  await ask();
  await ask();
  add('two');
  await ask();
  talk.fails = false;
  await ask();
  expect(said).toEqual(['one', 'one', 'two', 'two'].map((request) => ({ request, key: `live:sess:${request}` })));
  expect(() => turns.requestResponse({})).not.toThrow();
  expect(await until('error')).toMatchObject({ error: { code: 'nothing_to_answer' } });
});

it('an answer that cannot be stored at its end has failed', async () => {
  const { turns, talk, add, until } = aTalk();
  talk.isStoreAway = true;
  add('one');
  turns.requestResponse({});
  expect((await until('response.done')).response).toMatchObject({
    status: 'failed',
    status_details: { error: { type: 'server_error', code: 'internal_error' } },
  });
});

describe('speech over the avatar', () => {
  /** A long answer whose sound has begun, under fake timers. */
  const anAnswer = async () => {
    const talk = aTalk();
    talk.talk.seconds = 10;
    talk.add('one');
    talk.turns.requestResponse({});
    await talk.until('response.output_audio.delta');
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
    return talk;
  };
  const interrupted = { status: 'cancelled', status_details: { reason: 'turn_detected' } };
  afterEach(() => jest.useRealTimers());

  it('interrupts with words that arrive only after it, backchannels do not', async () => {
    const { turns, until } = await anAnswer();
    turns.interruptions.started('a');
    turns.interruptions.stopped(true);
    expect(turns.onTranscript('a', 'mhm')).toBe(false);
    expect(turns.isAnswering).toBe(true);
    turns.interruptions.started('b');
    turns.interruptions.stopped(true);
    expect(turns.onTranscript('b', 'stop it')).toBe(true);
    expect((await until('response.done')).response).toMatchObject(interrupted);
  });

  it('interrupts after 0.7 s, and is no turn if it was only a backchannel', async () => {
    const { turns, parts, until } = await anAnswer();
    turns.interruptions.started('a');
    jest.advanceTimersByTime(699);
    expect(parts.metrics.interrupted).toBe(0);
    jest.advanceTimersByTime(1);
    expect((await until('response.done')).response).toMatchObject(interrupted);
    expect(turns.onTranscript('a', 'Mhm.')).toBe(false);
    expect(parts.metrics.interrupted).toBe(1);
  });

  it('that is shorter does not interrupt while the end of the turn is awaited', async () => {
    const { turns, parts } = await anAnswer();
    turns.interruptions.started('a');
    jest.advanceTimersByTime(450);
    turns.interruptions.paused();
    jest.advanceTimersByTime(400);
    turns.interruptions.stopped(true);
    jest.advanceTimersByTime(1000);
    expect(turns.onTranscript('a', undefined)).toBe(false);
    jest.advanceTimersByTime(5000);
    expect(parts.metrics.interrupted).toBe(0);
    expect(turns.isAnswering).toBe(true);
    await turns.abandon();
  });

  it('does not interrupt if the client has changed to push to talk meanwhile', async () => {
    const { turns, parts, talk } = await anAnswer();
    talk.isPushToTalk = true;
    turns.interruptions.started('a');
    jest.advanceTimersByTime(700);
    expect(parts.metrics.interrupted).toBe(0);
    expect(turns.isAnswering).toBe(true);
  });

  it('counts without its pauses', async () => {
    const { turns, parts, until } = await anAnswer();
    turns.interruptions.resumed();
    turns.interruptions.started('a');
    jest.advanceTimersByTime(400);
    turns.interruptions.paused();
    turns.interruptions.paused();
    jest.advanceTimersByTime(400);
    turns.interruptions.resumed();
    jest.advanceTimersByTime(299);
    expect(parts.metrics.interrupted).toBe(0);
    jest.advanceTimersByTime(1);
    expect((await until('response.done')).response).toMatchObject(interrupted);
  });

  it.each([
    ['if its transcript takes long', true, 2000],
    ['if the client discards it', false, 0],
  ])('lets the avatar go on %s', async (_, isTranscribed, ms) => {
    const { turns, parts, conversation } = await anAnswer();
    const resume = jest.spyOn(conversation.all.at(-1)!.answer as unknown as { resume(): void }, 'resume');
    turns.interruptions.started('a');
    turns.interruptions.stopped(isTranscribed);
    expect(resume).toHaveBeenCalledTimes(isTranscribed ? 0 : 1);
    jest.advanceTimersByTime(ms);
    expect(resume).toHaveBeenCalledTimes(1);
    expect(parts.metrics.interrupted).toBe(0);
    await turns.abandon();
  });

  it('goes on if somebody speaks again before the transcript of a backchannel', async () => {
    const { turns, until } = await anAnswer();
    turns.interruptions.started('a');
    turns.interruptions.stopped(true);
    turns.interruptions.started('b');
    expect(turns.onTranscript('a', 'mhm')).toBe(false);
    jest.advanceTimersByTime(700);
    expect((await until('response.done')).response).toMatchObject(interrupted);
  });
});

it('words that could not be stored before their answer was cancelled are asked with the next ones', async () => {
  const { turns, parts, said, add, until } = aTalk();
  const { answer } = parts.replies;
  let fail = () => undefined as void;
  parts.replies.answer = () => new Promise((_, reject) => (fail = () => reject(new Error('x'))));
  add('one');
  turns.requestResponse({});
  await until('response.created');
  turns.cancel({});
  fail();
  await until('response.done');
  while (turns.isAnswering) await soon();
  await soon();
  parts.replies.answer = answer;
  add('two');
  turns.requestResponse({});
  await until('response.done', 2);
  expect(said).toEqual([{ request: 'one\ntwo', key: 'live:sess:two' }]);
});

describe('an answer that has not begun', () => {
  /** Somebody says words, as recognition reports them. @param text empty for a noise */
  const speak = async ({ turns, add, talk }: ReturnType<typeof aTalk>, id: string, text: string) => {
    turns.interruptions.started(id);
    if (text) turns.interruptions.partial(id, text);
    else jest.advanceTimersByTime(700);
    while (turns.isAnswering) await soon();
    await soon();
    talk.isTranscribing = true;
    turns.interruptions.stopped(true);
    talk.isTranscribing = false;
    if (turns.onTranscript(id, text)) add(id, text);
    turns.proceed();
  };
  const hanging = async (first: string) => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'performance'] });
    const test = aTalk();
    test.talk.hangs = true;
    await speak(test, 'one', first);
    await test.until('response.created');
    await soon();
    test.talk.hangs = false;
    return test;
  };
  afterEach(() => jest.useRealTimers());

  it('gives way to the rest of what the user says, and the engine is asked both', async () => {
    const test = await hanging('my number is');
    await speak(test, 'two', 'one two three');
    await test.until('response.done', 2);
    expect(test.said).toEqual([
      { request: 'my number is', key: 'live:sess:one' },
      { request: 'one two three', before: 'my number is', key: 'live:sess:two' },
    ]);
    expect(test.events.filter(({ type }) => type === 'response.done').map(({ response }) => response.status)).toEqual([
      'cancelled',
      'completed',
    ]);
    expect(test.conversation.unanswered).toEqual([]);
  });

  it('begins again if the user has only coughed', async () => {
    const test = await hanging('how far is it');
    await speak(test, 'two', '');
    await test.until('response.done', 2);
    const asked = { request: 'how far is it', key: 'live:sess:one' };
    expect(test.said).toEqual([asked, asked]);
  });

  it('begins again if the user has only coughed, and the sound was discarded', async () => {
    const test = await hanging('how far is it');
    test.turns.interruptions.started('two');
    jest.advanceTimersByTime(700);
    while (test.turns.isAnswering) await soon();
    await soon();
    expect(test.said).toHaveLength(1);
    test.turns.onSilence(false);
    await test.until('response.done', 2);
    expect(test.said).toHaveLength(2);
  });

  it('may be requested again after it was cancelled', async () => {
    const { turns, events, said, until } = await hanging('one');
    turns.cancel({});
    while (turns.isAnswering) await soon();
    await soon();
    expect(turns.isAnswering).toBe(false);
    turns.requestResponse({});
    await until('response.done', 2);
    expect(said.map(({ key }) => key)).toEqual(['live:sess:one', 'live:sess:one']);
    expect(events.filter(({ type }) => type === 'error')).toEqual([]);
  });
});

it('texts that do not fit into one message are stored and answered in several', async () => {
  const { turns, said, add, until } = aTalk();
  add('one', 'x'.repeat(7999));
  add('two', 'What does it say?');
  add('three', 'And why?');
  turns.requestResponse({});
  await until('response.done', 2);
  expect(said).toEqual([
    { request: 'x'.repeat(7999), key: 'live:sess:one' },
    { request: 'What does it say?\nAnd why?', key: 'live:sess:three' },
  ]);
});

it('a turn whose item is deleted before it is answered is not answered', async () => {
  const { turns, events } = aTalk();
  expect(turns.onTranscript('a', 'one')).toBe(true);
  turns.proceed();
  expect(turns.isAnswering).toBe(false);
  expect(events).toEqual([]);
});

it.each(['failed', 'cancelled'])('a %s greeting may be requested again', async (status) => {
  const { turns, talk, until } = aTalk();
  talk.fails = status === 'failed';
  talk.hangs = !talk.fails;
  turns.requestResponse({});
  await until('response.created');
  if (talk.hangs) turns.cancel({});
  expect((await until('response.done')).response.status).toBe(status);
  while (turns.isAnswering) await soon();
  await soon();
  talk.fails = talk.hangs = false;
  turns.requestResponse({});
  expect((await until('response.done', 2)).response.status).toBe('completed');
});

it('a greeting that exceeded the rate limit may be requested again', async () => {
  const { turns, parts, until } = aTalk();
  parts.counts.count = () => Promise.reject(new Error('x'));
  turns.requestResponse({});
  await until('error');
  while (turns.isAnswering) await soon();
  await soon();
  parts.counts.count = nothing;
  turns.requestResponse({});
  expect((await until('response.done')).response.status).toBe('completed');
});

it('losing the client in the middle of an answer ends it', async () => {
  const { turns, talk, add, until } = aTalk();
  talk.seconds = 10;
  add('one');
  turns.requestResponse({});
  await until('response.output_audio.delta');
  await turns.abandon();
  expect(turns.isAnswering).toBe(false);
  expect((await until('response.done')).response.status).toBe('cancelled');
});

it('a response can be cancelled by its identifier, but not by another one', async () => {
  const { turns, talk, add, until } = aTalk();
  talk.seconds = 10;
  add('one');
  turns.requestResponse({});
  await until('response.output_audio.delta');
  const { response } = await until('response.created');
  expect(() => turns.cancel({ response_id: 'resp_other' })).toThrow('Cancellation failed');
  turns.cancel({ response_id: response.id });
  expect((await until('response.done')).response).toMatchObject({ id: response.id, status: 'cancelled' });
});

it('an answer that is cancelled before it is known leaves nothing', async () => {
  const { turns, parts, stored, add, until } = aTalk();
  const { answer } = parts.replies;
  let go = () => undefined as void;
  parts.replies.answer = async (said) => {
    await new Promise<void>((resolve) => (go = resolve));
    return answer(said);
  };
  add('one');
  turns.requestResponse({});
  await until('response.created');
  turns.cancel({});
  go();
  expect((await until('response.done')).response.status).toBe('cancelled');
  expect(stored).toEqual([]);
});

it('an answer that the client truncates while somebody speaks over it was interrupted', async () => {
  const { turns, conversation, talk, add, until } = aTalk();
  talk.seconds = 10;
  add('one');
  turns.requestResponse({});
  await until('response.output_audio.delta');
  turns.interruptions.started('a');
  const cut = conversation.all.at(-1)!.answer!.truncate(100);
  expect((await until('response.done')).response.status_details).toMatchObject({ reason: 'turn_detected' });
  await cut;
});

it.each([
  ['while it is stored', 10, 'response.output_audio.delta', 1],
  ['before it is known', 10, 'response.created', 0],
])(
  'losing the client after it has cancelled an answer, %s, ends nothing else',
  async (_, seconds, event, truncated) => {
    const { turns, parts, talk, add, until } = aTalk();
    talk.seconds = seconds;
    const { answer } = parts.replies;
    let go = () => undefined as void;
    const truncate = jest.fn(nothing);
    const wait = () => new Promise<void>((resolve) => (go = resolve));
    parts.replies.answer = async (said) => {
      if (truncated === 0) await wait();
      return { ...(await answer(said)), truncate, finish: wait as never };
    };
    add('one');
    turns.requestResponse({});
    await until(event);
    turns.cancel({});
    const abandoned = turns.abandon();
    for (let n = 0; n < 5; n++) await soon();
    go();
    await abandoned;
    expect((await until('response.done')).response.status).toBe('cancelled');
    expect(truncate).toHaveBeenCalledTimes(truncated);
  },
);

it('an answer without words when it is truncated is not kept', async () => {
  const { turns, conversation, stored, talk, add, until } = aTalk();
  [talk.seconds, talk.text] = [10, ''];
  add('one');
  turns.requestResponse({});
  await until('response.output_audio.delta');
  await conversation.all.at(-1)!.answer!.truncate(100);
  expect(stored).toEqual(['begun', 'withdrawn']);
});

it('a response that is requested right after a cancellation waits until the cancelled one is stored', async () => {
  const { turns, events, said, talk, add, until } = aTalk();
  talk.seconds = 10;
  add('one');
  turns.requestResponse({});
  await until('response.output_audio.delta');
  add('two');
  talk.seconds = 1;
  turns.cancel({});
  turns.requestResponse({});
  const { response } = await until('response.done', 2);
  expect(response.status).toBe('completed');
  expect(said.map(({ request }) => request)).toEqual(['one', 'two']);
  expect(events.filter(({ type }) => type === 'error')).toEqual([]);
});

it('a response has all fields that clients know, and what was given with its request', async () => {
  const { turns, conversation, events, add, until } = aTalk();
  add('one');
  const audio = { output: { format: { type: 'audio/pcmu' } } };
  turns.requestResponse({ response: { metadata: { client_event_id: 'x' }, max_output_tokens: 500, audio } });
  const { response } = await until('response.done');
  expect(response).toMatchObject({
    metadata: { client_event_id: 'x' },
    conversation_id: conversation.id,
    max_output_tokens: 500,
    audio,
    usage: { total_tokens: 0, input_token_details: {}, output_token_details: {} },
  });
  const created = events.find(({ type }) => type === 'response.created')!.response;
  expect(Object.keys(created)).toEqual(Object.keys(response));
  expect(created).toMatchObject({ metadata: { client_event_id: 'x' }, usage: null });
});

it.each([
  { metadata: [] },
  { metadata: { a: 7 } },
  { metadata: Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`k${n}`, 'v'])) },
  { input: 'one' },
  { input: [{ type: 'item_reference', id: 'nobody' }] },
  { input: Array.from({ length: 101 }, () => ({ role: 'user', content: [{ type: 'input_text', text: 'x' }] })) },
  { conversation: 7 },
  { audio: { output: { format: { type: 'audio/mp3' } } } },
])('a request with %j is refused', (response) => {
  expect(() => aTalk().turns.requestResponse({ response })).toThrow('response.');
});

it('input is answered instead of what the user has said, and out of band leaves nothing behind', async () => {
  const { turns, conversation, events, prompted, said, add, until } = aTalk();
  add('one');
  const input = [
    { type: 'item_reference', id: 'one' },
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'two' }] },
  ];
  turns.requestResponse({ response: { input, conversation: 'none' } });
  expect((await until('response.done')).response).toMatchObject({ conversation_id: null, status: 'completed' });
  turns.requestResponse({ response: { input } });
  expect((await until('response.done', 2)).response).toMatchObject({ conversation_id: conversation.id });
  expect(prompted).toEqual([
    { request: 'one\ntwo', isStored: false },
    { request: 'one\ntwo', isStored: true },
  ]);
  expect(events.filter(({ type }) => type === 'conversation.item.added')).toHaveLength(1);
  turns.requestResponse({});
  await until('response.done', 3);
  expect(said).toMatchObject([{ request: 'one' }]);
  turns.requestResponse({ response: { instructions: 'Say goodbye.' } });
  await until('response.done', 4);
  expect(prompted).toHaveLength(3);
});

it('an answer ends at the number of tokens that it may have', async () => {
  const { turns, parts, add, until } = aTalk();
  const speech = { sound: async () => ({ samples: new Int16Array(2400), phonemes: [], words: undefined }) };
  Object.assign(parts, { speech, usage: { count: () => undefined } });
  const { answer } = parts.replies;
  parts.replies.answer = async (given) =>
    ({ ...(await answer(given)), isCareful: async () => true, async *pieces() { yield 'A long, long answer.'; yield 'More.'; } }) as never; // prettier-ignore
  add('one');
  turns.requestResponse({ response: { max_output_tokens: 2 } });
  const { response } = await until('response.done');
  expect(response).toMatchObject({ status: 'incomplete', status_details: { reason: 'max_output_tokens' } });
  expect(response.output[0].content[0].transcript).toBe('A long,');
});

it('the avatar speaks again after silences, thrice at most', async () => {
  const { turns, events, prompted, talk, add, until } = aTalk();
  talk.idle_timeout_ms = 20;
  talk.seconds = 0.01;
  add('one');
  turns.requestResponse({});
  await until('response.done', 4);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(prompted).toHaveLength(3);
  const [first] = events.filter(({ type }) => type === 'input_audio_buffer.timeout_triggered');
  expect(first).toMatchObject({ audio_start_ms: 0, audio_end_ms: 0, item_id: expect.stringMatching(/^item_/) });
  await turns.abandon();
});

it('a turn without words gets an empty response, unless something else is answered, or nothing is', () => {
  const { turns, events, talk } = aTalk();
  turns.reportEmptyTurn();
  expect(events.map(({ type }) => type)).toEqual(['response.created', 'response.done']);
  talk.isPushToTalk = true;
  turns.reportEmptyTurn();
  expect(events).toHaveLength(2);
});

it('a server that speaks by itself is told which turns it does not answer', async () => {
  const { turns, parts, talk, add, until } = aTalk();
  const { answer } = parts.replies;
  add('one');
  turns.requestResponse({});
  await until('response.done');
  expect(talk.ignored).toBe(0);
  parts.counts.count = async () => Promise.reject(new KnownError('rate_limited'));
  add('two');
  turns.requestResponse({});
  await until('error');
  await soon();
  expect(talk.ignored).toBe(1);
  parts.counts.count = nothing;
  parts.replies.answer = async (said) => ({ ...(await answer(said)), isTaken: true });
  turns.requestResponse({});
  await until('response.done', 2);
  await soon();
  expect(talk.ignored).toBe(2);
});
