import { setImmediate as soon } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { Conversation } from './conversation.js';
import type { ServerEvent } from './live.connection.js';
import { LiveMetrics } from './live.metrics.js';
import { firstConfig } from './session.config.js';
import { StageTimes } from './stage.times.js';
import { TurnTaking } from './turn.taking.js';

type Said = { request: string; key: string };

const nothing = async () => undefined;
const resolved = { project: { settings: { chat_types: ['voice'] } } } as never;

const aTalk = () => {
  const metrics = new LiveMetrics({ registry: new Registry() } as never);
  const conversation = new Conversation();
  const events: Record<string, any>[] = [];
  const said: Said[] = [];
  const stored: string[] = [];
  /** What the engine does, and counts the turns. */
  const parts = {
    metrics,
    counts: { count: nothing as () => Promise<unknown> },
    replies: {
      answer: async ({ request, key }: Said) => {
        said.push({ request, key });
        const [begin, withdraw] = [async () => void stored.push('begun'), async () => void stored.push('withdrawn')];
        const finish = async () => {
          if (talk.isStoreAway) throw new Error('x');
        };
        return { begin, withdraw, finish, end: () => undefined, leave: () => undefined };
      },
    },
  };
  const talk = { isTranscribing: false, fails: false, isStoreAway: false };
  const turns = new TurnTaking({
    id: 'sess',
    parts: parts as never,
    conversation,
    times: new StageTimes(metrics),
    upstream: {
      say: async function* () {
        if (talk.fails) throw new Error('x');
        yield { text: 'Yes.', sound: { samples: new Int16Array(24_000), phonemes: [], words: [] } };
      },
      cut: () => undefined,
    },
    talkers: () => ({ resolved, owner: {}, avatar: {}, address: '' }) as never,
    config: () => firstConfig(resolved, 'en'),
    isTranscribing: () => talk.isTranscribing,
    send: (event: ServerEvent) => void events.push(event),
    refuse: (error) => void events.push({ type: 'error', error }),
  });
  const add = (id: string) => conversation.add({ id, role: 'user', status: 'completed', text: id, spoken: false });
  const until = async (type: string, count = 1) => {
    while (events.filter((event) => event.type === type).length < count) await soon();
    return events.findLast((event) => event.type === type)!;
  };
  return { turns, parts, events, said, stored, talk, add, until };
};

it('a response that is cancelled while it is counted is told of at once, and another may be asked for', async () => {
  const { turns, parts, events, said, add, until } = aTalk();
  let counted = () => undefined as void;
  parts.counts.count = () => new Promise<void>((resolve) => (counted = resolve));
  add('one');
  turns.want({});
  expect(() => turns.want({})).toThrow('in progress already');
  turns.cancel({});
  expect(events).toMatchObject([{ type: 'response.done', response: { status: 'cancelled' } }]);
  expect(() => turns.cancel({})).toThrow('No response');
  parts.counts.count = nothing;
  turns.want({});
  counted();
  expect((await until('response.done', 2)).response.status).toBe('completed');
  expect(said).toMatchObject([{ request: 'one' }]);
  expect(events.filter(({ type }) => type === 'response.created')).toHaveLength(1);
});

it('no response that is counted when the client is lost begins after it is back', async () => {
  const { turns, parts, events, add } = aTalk();
  let counted = () => undefined as void;
  parts.counts.count = () => new Promise<void>((resolve) => (counted = resolve));
  add('one');
  turns.want({});
  await turns.abandon();
  turns.begin();
  counted();
  await soon();
  expect(turns.isAnswering).toBe(false);
  expect(events).toEqual([]);
});

it('a response that begins while the user speaks is interrupted by their next word, and leaves nothing', async () => {
  const { turns, events, stored, talk, add, until } = aTalk();
  talk.isTranscribing = true;
  turns.userStops();
  turns.userSpeaks();
  add('one');
  expect(turns.userSaid('one')).toBe(true);
  talk.isTranscribing = false;
  turns.proceed();
  while (stored.length === 0) await soon();
  await soon();
  turns.userSays('and');
  const { response } = await until('response.done');
  expect(response).toMatchObject({ status: 'cancelled', status_details: { reason: 'turn_detected' } });
  expect(events.map(({ type }) => type)).toEqual(['response.created', 'response.done']);
  expect(stored).toEqual(['begun', 'withdrawn']);
});

it('what a failed answer was to is stored once, and asked again as it was', async () => {
  const { turns, said, talk, add, until } = aTalk();
  talk.fails = true;
  const ask = async () => {
    const count = said.length + 1;
    turns.want({});
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
  expect(() => turns.want({})).not.toThrow();
  expect(await until('error')).toMatchObject({ error: { code: 'nothing_to_answer' } });
});

it('an answer that cannot be stored in the end has failed', async () => {
  const { turns, talk, add, until } = aTalk();
  talk.isStoreAway = true;
  add('one');
  turns.want({});
  expect((await until('response.done')).response).toMatchObject({
    status: 'failed',
    status_details: { error: { type: 'server_error', code: 'internal_error' } },
  });
});
