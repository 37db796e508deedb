import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AvatarChat, type TurnEvent } from '../src/index.js';

let server: Server;
let url: string;
let requests = 0;
let answer: [string, object][];

beforeAll(async () => {
  server = createServer((request, response) => {
    if (request.url === '/jwt') return response.end('{"result":"success","jwt":"token"}');
    requests++;
    const events = answer.map(([name, data]) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(events.join(''));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function ask(): Promise<TurnEvent[]> {
  const events: TurnEvent[] = [];
  const chat = new AvatarChat({ url, user_id: 'ann' });
  for await (const event of chat.stream({ avatar_id: 'ada', request: 'Hello' })) events.push(event);
  return events;
}

it('passes on the sources of an answer', async () => {
  const sources = [{ document_id: 'd', title: 'Handbook', url: 'https://a.example/', text: 'A lamp.' }];
  answer = [
    ['outgoing', { _id: 'a' }],
    ['delta', { text: 'It ' }],
    ['sources', { sources }],
    ['incoming', { _id: 'b' }],
  ];
  expect((await ask())[2]).toEqual({ event: 'sources', sources });
});

it('ends without an answer if a person answers', async () => {
  requests = 0;
  answer = [
    ['outgoing', { _id: 'a' }],
    ['conversation', { state: 'person', name: 'Sam' }],
  ];
  expect((await ask())[1]).toEqual({ event: 'conversation', state: 'person', name: 'Sam' });
  expect(requests).toBe(1);
});
