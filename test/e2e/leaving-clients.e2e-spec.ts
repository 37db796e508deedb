import { once } from 'node:events';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { Controller, Get, Module, StreamableFile } from '@nestjs/common';
import { TurnSlots } from '../../src/chat/turns/turn.slots.js';
import { CatalogueService, LOGGER, type Logger, Public } from '../../src/index.js';
import { PUPPET, PuppetModule } from '../support/engines.js';
import { anyServer, aProject, createTestApp, type TestApp } from '../support/index.js';

/** Responses that never end, such as those of a slow file store. */
@Public()
@Controller('endless')
class EndlessController {
  readonly streams: Readable[] = [];

  @Get()
  read(): StreamableFile {
    const stream = new Readable({ read: () => undefined });
    this.streams.push(stream);
    return new StreamableFile(stream);
  }
}
@Module({ controllers: [EndlessController] })
class EndlessModule {}

let test: TestApp;
let port: number;
let complaints: unknown[];
beforeAll(async () => {
  test = await createTestApp({ server: anyServer(), modules: [PuppetModule, EndlessModule] });
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

const until = async (holds: () => boolean) => {
  for (const end = Date.now() + 20_000; !holds(); await delay(20))
    if (Date.now() > end) throw new Error('It never came to be');
};

describe('when a connection closes, each response that waits for an earlier one on it', () => {
  const pipeline = async (...requests: string[]) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.write(requests.join(''));
    return socket;
  };

  it('stops reading its content', async () => {
    const { streams } = test.app.get(EndlessController);
    const socket = await pipeline(...Array<string>(12).fill('GET /endless HTTP/1.1\r\nHost: x\r\n\r\n'));
    await until(() => streams.length === 12);
    socket.destroy();
    await until(() => streams.every(({ destroyed }) => destroyed));
    expect(complaints).toEqual([]);
  });

  it('ends its turn, and releases the slot', async () => {
    const project_id = aProject();
    const project = { project_id, avatars: ['puppet'], languages: ['en'] };
    await test.app.get(CatalogueService).apply(JSON.stringify({ avatars: [PUPPET], projects: [project] }));
    const token = await test.token('ann', project_id);
    const turn = (request: string) => {
      const body = JSON.stringify({ avatar_id: 'puppet', request });
      const headers = `Authorization: Bearer ${token}\r\nAccept: text/event-stream\r\nContent-Type: application/json\r\n`;
      return `POST /chat HTTP/1.1\r\nHost: x\r\n${headers}Content-Length: ${body.length}\r\n\r\n${body}`;
    };
    const slots = test.app.get(TurnSlots, { strict: false });
    const socket = await pipeline(turn('stall 1'), turn('stall 1'), turn('flood'), turn('flood'));
    await until(() => slots.size === 4);
    socket.resetAndDestroy();
    await until(() => slots.size === 0);
    expect(complaints).toEqual([]);
  });
});
