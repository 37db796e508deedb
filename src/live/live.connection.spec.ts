import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';
import { LiveConnection } from './live.connection.js';

const MIB = 'x'.repeat(1024 * 1024);
let server: WebSocketServer;
beforeEach(async () => {
  server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
});
afterEach(async () => {
  for (const socket of server.clients) socket.terminate();
  await new Promise((resolve) => server.close(resolve));
});

const aPair = async () => {
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  client.on('error', () => undefined);
  const [[socket]] = (await Promise.all([once(server, 'connection'), once(client, 'open')])) as [[WebSocket], unknown];
  const closed = jest.fn();
  return {
    client,
    closed,
    connection: new LiveConnection(socket, { onMessage: () => undefined, onClosed: closed }, 20),
  };
};

it('disconnects a client that does not read, long before its buffer is large', async () => {
  const { client, closed, connection } = await aPair();
  client.pause();
  let sent = 0;
  // Socket buffers hold a few MiB.
  for (; connection.isOpen && sent < 100; sent++) {
    connection.send({ type: 'x', MIB });
    await new Promise(setImmediate);
  }
  expect(sent).toBeLessThan(100);
  client.resume();
  expect(await once(client, 'close')).toEqual([1006, expect.anything()]);
  expect(closed).toHaveBeenCalledTimes(1);
  expect(() => connection.send({ type: 'x' })).not.toThrow();
});
