import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { SpeechError } from 'avatar-chat-media';
import { Conversation, LiveResponse } from 'avatar-chat-realtime';
import { LIVE_HOST } from './live.host.js';
import { LateWrites } from './late.writes.js';
import { LiveReplies } from './live.replies.js';

const frameOf = (modality: 'audio' | 'text') => ({
  frame: {
    modality,
    format: { type: 'audio/pcm', rate: 24_000 } as const,
    metadata: null,
    conversation_id: 'conv',
    max_output_tokens: 'inf' as const,
  },
  host: LIVE_HOST,
  hasVisemes: true,
  hasWords: true,
});
const nothing = () => undefined;
const avatar = { _id: 'ada', name: 'Ada' };

it("a response that has ended keeps neither the engine's context nor the user's words, and can be truncated", async () => {
  const large: WeakRef<object>[] = [];
  /** An object in place of what takes much memory. */
  const aLargeOne = () => {
    const one = {};
    large.push(new WeakRef(one));
    return one as never;
  };
  const stored: unknown[] = [];
  const recorder = {
    begin: async () => undefined,
    finish: async () => undefined,
    truncate: async (_owner: object, _id: string, answer: string) => void stored.push(answer),
  };
  const intake = {
    begin: async () => ({
      project: { settings: { messageTimeoutSeconds: 60 } },
      outgoing: { _id: 'request' },
      recent: aLargeOne(),
      sources: [],
      leave: nothing,
      displaced: new AbortController().signal,
    }),
  };
  const answers = {
    async *pieces() {
      yield 'Hello there.';
    },
  };
  const metrics = { turns: { inc: nothing } };
  const [none, clock] = [{} as never, { now: () => 0 } as never];
  const replies = new LiveReplies(
    intake as never,
    answers as never,
    none,
    recorder as never,
    metrics as never,
    clock,
    new LateWrites(),
    none,
  );
  const conversation = new Conversation();
  const opening = (request: string) => () => replies.answer({ owner: {}, avatar, request } as never);
  const respond = () => {
    const words = [{ text: 'Hello there.', start: 0, end: 0.1 }];
    const spoken = { text: 'Hello there.', sound: { samples: new Int16Array(2400), phonemes: [], words } };
    return new LiveResponse({
      conversation,
      ...frameOf('audio'),
      open: opening(aLargeOne()),
      async *say(reply) {
        for await (const _ of reply.pieces()) yield spoken;
      },
      truncated: nothing,
      send: nothing,
      sounds: nothing,
      plays: nothing,
    }).ended;
  };
  expect(await respond()).toBe('completed');
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const left = () => large.map((one) => one.deref() !== undefined);
  for (let n = 0; n < 10 && left().includes(true); n++) {
    await sleep(10);
    collectGarbage();
  }
  expect(left()).toEqual([false, false]);
  await conversation.all[0]!.answer!.truncate(0);
  expect(stored).toEqual(['']);
});

it('a response that fails aborts what is still being spoken', async () => {
  const signals: AbortSignal[] = [];
  const response = new LiveResponse({
    conversation: new Conversation(),
    ...frameOf('audio'),
    open: async () => ({ begin: nothing, withdraw: nothing, leave: nothing }) as never,
    async *say(_reply, _item, signal) {
      signals.push(signal);
      yield { text: 'Hello there.', sound: Promise.reject(new SpeechError()) };
    },
    truncated: nothing,
    send: nothing,
    sounds: nothing,
    plays: nothing,
  });
  expect(await response.ended).toBe('failed');
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
});
