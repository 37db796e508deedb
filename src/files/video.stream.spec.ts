import { createServer, IncomingMessage, request, ServerResponse } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import { streamedTo } from './video.stream.js';

/** What becomes of a client that reads, or hardly or not until it is cut off, of more than the system takes for it. */
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
  it('sends all to a client that reads', async () => expect(await outcome('all')).toBe('complete'));
  it('cuts off one that has stopped reading', async () => expect(await outcome('nothing')).toBe('cut off'));
  it('cuts off one that reads a byte now and then', async () => expect(await outcome('drops')).toBe('cut off'));
  it('adds no listener to the closing of a response, which has about ten', () => {
    const response = new ServerResponse(new IncomingMessage(new Socket()));
    streamedTo(response, (async function* () {})()).destroy();
    expect(response.listenerCount('close')).toBe(0);
  });
});
