import { getEventListeners } from 'node:events';
import { setImmediate as soon } from 'node:timers/promises';
import { RealtimeConversation } from './realtime.conversation.js';

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
