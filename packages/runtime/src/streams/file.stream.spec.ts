import { createServer, IncomingMessage, request, ServerResponse } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import { streamedTo } from './file.stream.js';

/** Runs a client that reads normally, slowly or not at all, with more data than socket buffers hold. */
async function outcome(reads: 'all' | 'drops' | 'nothing'): Promise<string> {
  let closed = () => {};
  const isClosed = new Promise<void>((resolve) => (closed = resolve));
  const server = createServer((_, response) => {
    async function* pieces() {
      for (let count = 0; count < 64; count++) yield Buffer.alloc(1 << 20);
    }
    response.once('close', closed);
    streamedTo(response, pieces(), reads === 'all' ? undefined : 200).pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await new Promise<string>((resolve) => {
      const call = request({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' }, (response) => {
        response.on('end', () => resolve('complete')).on('error', () => resolve('cut off'));
        const drops = reads === 'drops' ? setInterval(() => response.read(1), 10) : undefined;
        if (reads === 'all') response.resume();
        else
          void isClosed.then(() => {
            clearInterval(drops);
            response.resume();
          });
      });
      call.on('error', () => resolve('cut off')).end();
    });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

describe('streamedTo', () => {
  it('sends everything to a client that reads', async () => expect(await outcome('all')).toBe('complete'));
  it('disconnects one that has stopped reading', async () => expect(await outcome('nothing')).toBe('cut off'));
  it('disconnects one that reads a byte now and then', async () => expect(await outcome('drops')).toBe('cut off'));
  it('adds no close listener to a response, which already has about ten', () => {
    const response = new ServerResponse(new IncomingMessage(new Socket()));
    streamedTo(response, (async function* () {})()).destroy();
    expect(response.listenerCount('close')).toBe(0);
  });
});
