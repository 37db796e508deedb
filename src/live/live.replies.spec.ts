import { Logger } from '@nestjs/common';
import { AlreadyStored } from '../messages/index.js';
import { DatabaseUnavailableError } from '../platform/database/index.js';
import { LateWrites } from './late.writes.js';
import { LiveReplies } from './live.replies.js';

const none = {} as never;
let late: LateWrites;
beforeEach(() => (late = new LateWrites()));
const replies = (recorder: object) =>
  new LiveReplies(none, none, none, recorder as never, none, { now: () => 0 } as never, late, none);
const said = {
  owner: {},
  holders: ['ann'],
  resolved: { project: { settings: { greet: true, messageTimeoutSeconds: 1 } } },
  avatar: { _id: 'ada', name: 'Ada', greetingText: '' },
  chat_type: 'voice',
  language_code: 'en',
} as never;

it('an avatar without its own greeting is asked to greet', () => {
  const reply = replies({}).greeting(said);
  reply.leave();
  expect(reply.cue).toBe('Greet the user.');
});

it('a greeting fails if it cannot be stored', async () => {
  const reply = replies({ begin: () => Promise.reject(new Error('x')) }).greeting(said);
  await expect(reply.begin('id', 'Hello')).rejects.toThrow('x');
  reply.leave();
});

describe('while the database is unavailable', () => {
  const away = new DatabaseUnavailableError();
  /** The stored messages, and which of them are published. */
  const stored = new Map<string, string>();
  const published = new Map<string, string>();
  let failures: unknown[];
  const write = async (act: () => void) => {
    if (failures.length > 0) throw failures.shift();
    act();
  };
  const recorder = {
    begin: async (_owner: object, { _id, answer }: { _id: string; answer: string }) => {
      const [existing] = stored.keys();
      if (existing !== undefined) throw new AlreadyStored({ _id: existing } as never);
      stored.set(_id, answer);
      await write(() => undefined);
    },
    finish: (_owner: object, _id: string, answer: string) =>
      write(() => {
        for (const kept of [stored, published]) kept.set(_id, answer);
      }),
    truncate: (_owner: object, _id: string, answer: string) => write(() => stored.set(_id, answer)),
    withdraw: (_owner: object, _id: string) => write(() => stored.delete(_id)),
  };
  const begun = async () => {
    const reply = replies(recorder).greeting(said);
    reply.leave();
    await reply.begin('a', 'One,');
    return reply;
  };
  let warned: jest.SpiedFunction<Logger['warn']>;

  beforeEach(() => {
    jest.useFakeTimers();
    warned = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    for (const kept of [stored, published]) kept.clear();
    failures = [];
  });
  afterEach(() => {
    late.beforeApplicationShutdown();
    jest.useRealTimers();
    warned.mockRestore();
  });

  it('an answer fails, and is completed later', async () => {
    const reply = await begun();
    failures = [away, away, away];
    await expect(reply.finish('a', 'One, two.')).rejects.toBe(away);
    await jest.advanceTimersByTimeAsync(2500);
    expect(stored.get('a')).toBe('One,');
    await jest.advanceTimersByTimeAsync(1000);
    expect([stored.get('a'), published.get('a')]).toEqual(['One, two.', 'One, two.']);
  });

  it('only the last state of an answer is stored later, and published', async () => {
    const reply = await begun();
    failures = [away, away];
    await expect(reply.finish('a', 'One, two.')).rejects.toBe(away);
    await expect(reply.truncate('a', 'One')).rejects.toBe(away);
    await jest.advanceTimersByTimeAsync(60_000);
    expect([stored.get('a'), published.get('a')]).toEqual(['One', 'One']);
    await reply.truncate('a', '');
    expect([stored.get('a'), published.get('a')]).toEqual(['', 'One']);
  });

  it('a later state waits for the attempt to store the former one', async () => {
    const reply = await begun();
    failures = [away];
    await expect(reply.finish('a', 'One, two.')).rejects.toBe(away);
    let answer = () => undefined as void;
    const finish = jest
      .spyOn(recorder, 'finish')
      .mockReturnValueOnce(new Promise<void>((resolve) => (answer = resolve)));
    await jest.advanceTimersByTimeAsync(1000);
    const truncated = reply.truncate('a', 'One');
    await jest.advanceTimersByTimeAsync(5000);
    expect(stored.get('a')).toBe('One,');
    answer();
    await truncated;
    expect(stored.get('a')).toBe('One');
    finish.mockRestore();
  });

  it('an answer that nobody heard is removed later', async () => {
    const reply = await begun();
    failures = [away];
    await expect(reply.withdraw('a')).rejects.toBe(away);
    await jest.advanceTimersByTimeAsync(1000);
    expect([...stored]).toEqual([]);
  });

  it('an answer that may be stored is removed later, or as soon as its repetition needs its place', async () => {
    failures = [away, away];
    await expect(begun()).rejects.toBe(away);
    await jest.advanceTimersByTimeAsync(1000);
    expect([...stored.keys()]).toEqual(['a']);
    const again = replies(recorder).greeting(said);
    again.leave();
    await again.begin('b', 'One,');
    await again.finish('b', 'One, two.');
    expect([...stored]).toEqual([['b', 'One, two.']]);
    await jest.advanceTimersByTimeAsync(60_000);
    expect([...stored]).toEqual([['b', 'One, two.']]);
  });

  it('an answer that may be stored stays in the way if it still cannot be removed', async () => {
    failures = [away, away];
    await expect(begun()).rejects.toBe(away);
    const again = replies(recorder).greeting(said);
    again.leave();
    await expect(again.begin('b', 'One,')).rejects.toBe(away);
    await jest.advanceTimersByTimeAsync(1000);
    expect([...stored]).toEqual([]);
  });

  it('it is not attempted again after another error, after a minute, or when the service stops', async () => {
    const reply = await begun();
    failures = [away, new Error('x')];
    await expect(reply.finish('a', 'One, two.')).rejects.toBe(away);
    await jest.advanceTimersByTimeAsync(10_000);
    failures = Array.from({ length: 70 }, () => away);
    await expect(reply.finish('a', 'One, two.')).rejects.toBe(away);
    await jest.advanceTimersByTimeAsync(100_000);
    expect(failures).toHaveLength(9);
    expect(warned).toHaveBeenCalledTimes(2);
    await expect(reply.finish('a', 'One, two.')).rejects.toBe(away);
    late.beforeApplicationShutdown();
    await expect(reply.finish('a', 'One, two.')).rejects.toBe(away);
    await jest.advanceTimersByTimeAsync(100_000);
    expect(failures).toHaveLength(7);
    expect(stored.get('a')).toBe('One,');
  });

  it('a thousand messages wait at most', async () => {
    for (let n = 0; n <= 1000; n++) late.add([`u${n % 2}`], `${n}`, async () => void stored.set(`${n}`, ''));
    expect(warned).toHaveBeenCalledTimes(1);
    await jest.advanceTimersByTimeAsync(1000);
    expect(stored.size).toBe(1000);
  });
});
