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

const handled: string[] = [];
let spend: (cost: number) => number;
let handle: (message: string) => void;
beforeEach(() => {
  handled.length = 0;
  handle = (message) => void handled.push(message);
  spend = () => 0;
});

const aPair = async () => {
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  client.on('error', () => undefined);
  const [[socket]] = (await Promise.all([once(server, 'connection'), once(client, 'open')])) as [[WebSocket], unknown];
  const closed = jest.fn();
  return {
    client,
    closed,
    connection: new LiveConnection(socket, {
      pingSeconds: 20,
      onMessage: async (message) => handle(String(message)),
      onClosed: closed,
      spend: (cost) => spend(cost),
    }),
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

it('other work goes on between two messages that arrived together', async () => {
  const { client } = await aPair();
  const order: string[] = [];
  handle = (message) => {
    order.push(message);
    setImmediate(() => order.push('other'));
  };
  for (let n = 0; n < 20; n++) client.send('x');
  while (order.length < 40) await new Promise(setImmediate);
  expect(order.filter((what, at) => what === order[at - 1])).toEqual([]);
});

it('a client that has used up its share is not read, and nothing of it is lost', async () => {
  const { client, connection } = await aPair();
  const costs: number[] = [];
  spend = (cost) => {
    costs.push(cost);
    return costs.length === 1 ? 500 : 0;
  };
  for (let n = 0; n < 30; n++) client.send(String(n));
  client.ping();
  client.pong();
  while (costs.length === 0) await new Promise(setImmediate);
  expect(handled).toEqual([]);
  while (handled.length < 30 || costs.length < 32) await new Promise(setImmediate);
  expect(handled).toEqual(Array.from({ length: 30 }, (_, n) => String(n)));
  connection.send({ type: 'error' });
  connection.send({ type: 'x' });
  const [refusal, answer] = costs.slice(-2);
  expect(refusal! - answer!).toBeGreaterThan(10_000);
  expect(Math.min(...costs.slice(0, 32))).toBeGreaterThan(1000);
});

it('a client is closed properly, although it is not read at the moment', async () => {
  const { client, connection } = await aPair();
  spend = () => 60_000;
  client.send('x');
  while (client.bufferedAmount > 0) await new Promise(setImmediate);
  await new Promise((resolve) => setTimeout(resolve, 20));
  connection.close(1000, 'idle');
  client.send('late');
  expect((await once(client, 'close'))[0]).toBe(1000);
  expect(handled).toEqual([]);
});

it('what a client said before it closed the connection is handled, then its end is reported', async () => {
  const { client, closed } = await aPair();
  let seen = -1;
  closed.mockImplementation(() => (seen = handled.length));
  for (let n = 0; n < 20; n++) client.send(String(n));
  client.close();
  while (closed.mock.calls.length === 0) await new Promise(setImmediate);
  expect(handled).toEqual(Array.from({ length: 20 }, (_, n) => String(n)));
  expect(seen).toBe(20);
});

it('what waits is dropped if the service closes the connection', async () => {
  const { client, closed, connection } = await aPair();
  handle = (message) => {
    handled.push(message);
    connection.close(1008, 'enough');
  };
  for (let n = 0; n < 20; n++) client.send(String(n));
  await once(client, 'close');
  while (closed.mock.calls.length === 0) await new Promise(setImmediate);
  expect(handled).toEqual(['0']);
  expect(closed).toHaveBeenCalledTimes(1);
});
