import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AvatarChat, type ChatEvent } from '../src/index.js';

let server: Server;
let url: string;
let tokens: number;
/** What each request of the stream gets, in order; then streams that stay open. */
let answers: ((response: ServerResponse, request: IncomingMessage) => void)[];
let asked: { token?: string; after?: string }[];

const message = (_id: string) => `id: ${_id}\nevent: message\ndata: {"_id":"${_id}"}\n\n`;
const event = (name: string, data: object = {}) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
const stream =
  (...parts: string[]) =>
  (response: ServerResponse) =>
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(parts.join(''));
const refuse =
  (status: number, error: string, headers = {}) =>
  (response: ServerResponse) =>
    response.writeHead(status, headers).end(JSON.stringify({ result: 'failure', status, error, message: 'No.' }));

beforeEach(async () => {
  [tokens, answers, asked] = [0, [], []];
  server = createServer((request, response) => {
    if (request.url === '/jwt') return response.end(JSON.stringify({ result: 'success', jwt: `token-${++tokens}` }));
    const { authorization, 'last-event-id': after } = request.headers;
    asked.push({ token: authorization?.replace('Bearer ', ''), after: after as string });
    const answer = answers.shift();
    if (answer) return answer(response, request);
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': open\n\n');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** The next events, and then it leaves. */
async function take(count: number, lastEventId?: string): Promise<ChatEvent[]> {
  const events: ChatEvent[] = [];
  for await (const one of new AvatarChat({ url, user_id: 'ann' }).events({ lastEventId })) {
    events.push(one);
    if (events.length === count) break;
  }
  return events;
}

it('continues after the last message when the connection is lost, the token has expired, or the process stops', async () => {
  answers = [
    stream(message('b')),
    stream(message('c'), event('token_expired')),
    refuse(503, 'service_unavailable', { 'retry-after': '0' }),
    stream(event('going_away')),
    (response) => response.destroy(),
    stream(event('typing', { avatar_id: 'ada', name: 'Ada', typing: true }), message('d')),
  ];
  expect(await take(4, 'a')).toEqual([
    { event: 'message', message: { _id: 'b' } },
    { event: 'message', message: { _id: 'c' } },
    { event: 'typing', avatar_id: 'ada', name: 'Ada', typing: true },
    { event: 'message', message: { _id: 'd' } },
  ]);
  expect(asked.map(({ after }) => after)).toEqual(['a', 'b', 'c', 'c', 'c', 'c']);
  expect(asked.map(({ token }) => token)).toEqual(['token-1', 'token-1', ...Array(4).fill('token-2')]);
}, 30_000);

it('renews a token that is refused', async () => {
  answers = [refuse(403, 'token_expired'), stream(event('conversation', { state: 'waiting' }))];
  expect(await take(1)).toEqual([{ event: 'conversation', state: 'waiting' }]);
  expect(asked.map(({ token }) => token)).toEqual(['token-1', 'token-2']);
});

it('says that messages may be missing if it cannot continue', async () => {
  answers = [stream(), stream(event('reset')), stream(event('messages_removed', { ids: ['a'] }))];
  expect((await take(4)).map(({ event }) => event)).toEqual(['reset', 'reset', 'reset', 'messages_removed']);
});

it('ends if the service refuses it, or another stream has replaced it', async () => {
  answers = [refuse(404, 'not_found'), stream(event('replaced'))];
  await expect(take(1)).rejects.toMatchObject({ code: 'not_found', status: 404 });
  await expect(take(1)).rejects.toMatchObject({ code: 'replaced' });
  expect(asked).toHaveLength(2);
});

it('ends on abort, also while it waits', async () => {
  const controller = new AbortController();
  answers = [refuse(503, 'service_unavailable', { 'retry-after': '3600' })];
  const next = new AvatarChat({ url, user_id: 'ann' }).events({ signal: controller.signal }).next();
  await until(() => asked.length === 1);
  controller.abort(new Error('enough'));
  await expect(next).rejects.toThrow('enough');
});

async function until(check: () => boolean): Promise<void> {
  while (!check()) await new Promise((resolve) => setTimeout(resolve, 5));
}
