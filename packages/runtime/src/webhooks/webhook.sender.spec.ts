import { Readable } from 'node:stream';
import { OutgoingError } from '../outgoing-http/outgoing.http.js';
import { WebhookSender } from './webhook.sender.js';

it('puts no limit on the number of deliveries that one signal stops', async () => {
  const http = { open: () => Promise.reject(new OutgoingError('REFUSED')) };
  const sender = new WebhookSender({ webhookTimeoutSeconds: 1 }, { now: () => 0 } as never, http as never);
  const { signal } = new AbortController();
  const message = { url: 'https://receiver.example', id: 'id', body: '{}', keys: [] };
  expect(await sender.send(message, signal)).toEqual({ error: 'REFUSED' });
  // Node.js warns of a leak above any other limit; its getMaxListeners() refuses signals.
  expect(Object.getOwnPropertySymbols(signal).map((key) => [key.description, Reflect.get(signal, key)])).toContainEqual(
    ['events.maxEventTargetListeners', 0],
  );
});

const DATE = 'Sun, 06 Nov 1994 08:49:37 GMT';
it.each<[string, number | undefined]>([
  ['120', 120],
  ['99999999999', 99_999_999_999],
  [DATE, 30],
  ['Sunday, 06-Nov-94 08:49:37 GMT', 30],
  ['Sun Nov  6 08:49:37 1994', 30],
  ['Wed, 21 Oct 1987 07:28:00 GMT', 0],
  ['-5', undefined],
  ['1994-11-06T08:49:37Z', undefined],
])('reads how long a receiver wants to be left alone: %s', async (header, seconds) => {
  const now = () => Date.parse(DATE) - 30_000;
  const answer = Object.assign(Readable.from([]), { statusCode: 503, headers: { 'retry-after': header } });
  const http = { open: () => Promise.resolve(answer) };
  const sender = new WebhookSender({ webhookTimeoutSeconds: 1 }, { now } as never, http as never);
  const message = { url: 'https://receiver.example', id: 'id', body: '{}', keys: [] };
  const sent = await sender.send(message, new AbortController().signal);
  expect(sent).toEqual({ status: 503, retryAfter: seconds });
});
