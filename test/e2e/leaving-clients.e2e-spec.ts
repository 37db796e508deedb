import { once } from 'node:events';
import { connect } from 'node:net';
import { LOGGER, type Logger } from '../../src/index.js';
import { anyServer, createTestApp, type TestApp } from '../support/index.js';

let test: TestApp;
let port: number;
let complaints: unknown[];
beforeAll(async () => {
  test = await createTestApp({ server: anyServer() });
  port = await test.listen();
  const logger = test.app.get<Logger>(LOGGER);
  complaints = [];
  for (const level of ['error', 'warn'] as const)
    jest.spyOn(logger, level).mockImplementation((...line: unknown[]) => void complaints.push(line));
});
afterAll(() => test.close());

/** Sends the beginning of a request and closes the connection, gracefully or by a reset. */
async function leave(bytes: string, reset: boolean): Promise<void> {
  const requests = test.app.getHttpServer();
  const arrived = once(requests, 'request');
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(bytes);
  const [request] = await arrived;
  const closed = new Promise((resolve) => request.socket.once('close', resolve));
  // Makes sure that the handler is reading the body.
  await new Promise((resolve) => setTimeout(resolve, 30));
  if (reset) socket.resetAndDestroy();
  else socket.destroy();
  await closed;
}

it('clients that leave before their request is complete cause no error in the service', async () => {
  const token = await test.token('ann');
  const head = (more: string) => `POST /chat HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n${more}\r\n`;
  const form = 'Content-Type: multipart/form-data; boundary=x\r\n';
  const file = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\n';
  const requests = [
    'POST /jwt HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{"user_id"',
    head('Content-Type: application/json\r\nContent-Length: 50\r\n') + '{"avatar_id"',
    head('Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n') + '5\r\n{"ava\r\n',
    head(`${form}Content-Length: 5000\r\n`) + '--x\r\nContent-Disposition: form-data; name="avatar_id"\r\n\r\nad',
    head(`${form}Content-Length: 5000\r\n`) + file,
    head(`${form}Content-Length: 5000\r\n`) + `${file}RIFF\x24\x00\x00\x00WAVEfmt `,
  ];
  for (const request of requests) for (const reset of [true, false]) await leave(request, reset);
  // The service still works, and has had the time to log an error.
  expect((await test.call({ path: '/connection', token })).status).toBe(200);
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(complaints).toEqual([]);
});
