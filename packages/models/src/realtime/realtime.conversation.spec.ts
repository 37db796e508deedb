import { getEventListeners } from 'node:events';
import { setImmediate as soon } from 'node:timers/promises';
import { RealtimeAnswer } from './realtime.answer.js';
import { RealtimeConversation } from './realtime.conversation.js';

it('a response of very many pieces ends, however short they are', async () => {
  const answer = new RealtimeAnswer();
  answer.take({ type: 'response.created', response: { id: 'one' } });
  const sound = { type: 'response.output_audio.delta', response_id: 'one', delta: 'AA==' };
  for (let count = 0; count < 60_000; count++) answer.take(sound);
  expect(answer.isOver).toBe(false);
  answer.take(sound);
  expect(answer.isOver).toBe(true);
});

it('a response that has ended leaves no listener on its signal', async () => {
  const nothing = () => undefined;
  const listener = { onEvent: nothing, onLost: nothing };
  const conversation = new RealtimeConversation({ send: nothing, close: nothing } as never, listener);
  const { signal } = new AbortController();
  const parts = conversation.respond({}, signal);
  const first = parts.next();
  await soon();
  conversation.take({ type: 'response.created', response: { id: 'one' } });
  conversation.take({ type: 'response.output_text.delta', response_id: 'one', delta: 'Hello' });
  conversation.take({ type: 'response.done', response: { id: 'one', status: 'completed' } });
  expect(await first).toEqual({ done: false, value: { text: 'Hello' } });
  expect((await parts.next()).done).toBe(true);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});
