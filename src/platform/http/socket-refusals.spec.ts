import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { endConnection, watchResponses } from './socket-refusals.js';

let server: Server;
const sockets = new Set<Socket>();
const responses: ServerResponse[] = [];
beforeEach(async () => {
  sockets.clear();
  responses.length = 0;
  server = createServer((_request, response) => void responses.push(response));
  watchResponses(server);
  server.on('connection', (socket: Socket) => sockets.add(socket));
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterEach(() => void server.close());

/** A request, once it has arrived. */
const ask = async () => {
  const answer = fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  while (responses.length === 0) await new Promise(setImmediate);
  return { answer };
};

describe('endConnection', () => {
  it('refuses a request that has got no answer yet, and what answers it later does no harm', async () => {
    const { answer } = await ask();
    for (const socket of sockets) endConnection(socket);
    responses[0]!.end('late');
    const refused = await answer;
    expect([refused.status, refused.headers.get('retry-after'), refused.headers.get('connection')]).toEqual([
      503,
      '1',
      'close',
    ]);
    expect(await refused.json()).toMatchObject({ result: 'failure', error: 'service_unavailable' });
  });

  it('breaks off an answer that has begun', async () => {
    const { answer } = await ask();
    responses[0]!.write('a');
    const begun = await answer;
    for (const socket of sockets) endConnection(socket);
    await expect(begun.text()).rejects.toThrow('terminated');
  });
});
