import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import fastify from 'fastify';
import { Mount } from './mount.js';

const OFFER = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n';
const REQUESTS = 15;

describe('a connection of a host whose client offers another protocol with each request', () => {
  let server: Server;
  let client: Socket;
  afterEach(() => {
    client.destroy();
    server.close();
  });

  it.each(['/talk/ping', '/host'])('gathers no listeners: %s', async (path) => {
    const service = fastify();
    const mount = new Mount(service, 'talk');
    service.get('/ping', () => 'pong');
    await service.ready();
    const sockets: Socket[] = [];
    server = createServer((_request, response) => response.end('host'));
    // As frameworks count the connections that they close at the end.
    server.on('connection', (socket: Socket) => {
      sockets.push(socket);
      socket.once('close', () => undefined);
    });
    mount.joinServer(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    const counts: number[] = [];
    for (let n = 0; n < REQUESTS; n++) {
      client.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n${OFFER}\r\n`);
      expect(String((await once(client, 'data'))[0])).toMatch(/^HTTP\/1\.1 200 [^]*(pong|host)$/);
      counts.push(sockets[0]!.eventNames().reduce((sum, name) => sum + sockets[0]!.listenerCount(name), 0));
    }
    expect(sockets).toHaveLength(1);
    expect(counts.at(-1)).toBe(counts[1]);
  });
});
