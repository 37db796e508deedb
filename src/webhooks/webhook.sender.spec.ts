import { OutgoingError } from 'avatar-chat-runtime';
import type { Config } from '../platform/config/index.js';
import { WebhookSender } from './webhook.sender.js';

it('puts no limit on the number of deliveries that one signal stops', async () => {
  const http = { open: () => Promise.reject(new OutgoingError('REFUSED')) };
  const sender = new WebhookSender({ webhookTimeoutSeconds: 1 } as Config, { now: () => 0 } as never, http as never);
  const { signal } = new AbortController();
  const message = { url: 'https://receiver.example', id: 'id', body: '{}', keys: [] };
  expect(await sender.send(message, signal)).toEqual({ error: 'REFUSED' });
  // Node.js warns of a leak above any other limit; its getMaxListeners() refuses signals.
  expect(Object.getOwnPropertySymbols(signal).map((key) => [key.description, Reflect.get(signal, key)])).toContainEqual(
    ['events.maxEventTargetListeners', 0],
  );
});
