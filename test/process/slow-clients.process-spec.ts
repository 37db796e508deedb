import { connect } from 'node:net';
import { anyServer, assertErrorBody, createTestApp, parseAnswer, type TestApp } from '../support/index.js';

let test: TestApp;
let port: number;
beforeAll(async () => {
  test = await createTestApp({ server: anyServer() });
  port = await test.listen();
});
afterAll(() => test.close());

/** Sends the beginning at once, then a byte every now and then, until it is disconnected. @returns the response */
function drip(beginning: string, byte: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(beginning));
    const timer = setInterval(() => socket.write(byte), 200);
    let received = '';
    socket.on('data', (chunk) => (received += chunk.toString()));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearInterval(timer);
      resolve(received);
    });
  });
}

it('clients that never complete their request are disconnected with a 408, while others are served', async () => {
  const POST = 'POST /jwt HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
  const slow: [string, Promise<string>][] = [
    ['a request line', drip('GET /health', 'x')],
    ['a header', drip('GET /health/live HTTP/1.1\r\nHost: x\r\nX-Slow: ', 'x')],
    ['header after header', drip('GET /health/live HTTP/1.1\r\nHost: x\r\n', 'X: y\r\n')],
    ['a body', drip(`${POST}Content-Length: 10000\r\n\r\n{"user_id":"`, 'x')],
    ['a body in chunks', drip(`${POST}Transfer-Encoding: chunked\r\n\r\n`, '1\r\n \r\n')],
  ];
  let cut = false;
  const told = Promise.all(slow.map(async ([what, answer]) => [what, await answer] as const));
  void told.finally(() => (cut = true));
  const others = new Set<number>();
  while (!cut) {
    others.add((await fetch(`http://127.0.0.1:${port}/health/ready`)).status);
    others.add((await test.call({ method: 'POST', path: '/jwt', body: { user_id: 'ann' } })).status);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  for (const [what, text] of await told) {
    const answer = parseAnswer(text)?.answer;
    expect([what, answer]).toMatchObject([what, { status: 408, body: { error: 'request_timeout' } }]);
    assertErrorBody(answer!);
  }
  expect([...others]).toEqual([200]);
});

it('allows 10,000 connections', () => {
  expect(test.app.getHttpServer().maxConnections).toBe(10_000);
});
