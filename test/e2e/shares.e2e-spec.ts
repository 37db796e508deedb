import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { AuthService, ChatService, type Owner } from '../../src/index.js';
import { FileService } from '../../src/files/index.js';
import { FileUrls } from '../../src/files/file.urls.js';
import { ResponseMemory } from '../../src/platform/limits/index.js';
import { MAX_HELD_BYTES } from '../../src/platform/limits/response-memory.js';
import { anOwner, anyServer, aRecording, aTurn, createTestApp, type TestApp } from '../support/index.js';

let test: TestApp;
let port: number;
let sockets: Socket[] = [];
beforeAll(async () => {
  test = await createTestApp({ server: anyServer() });
  port = await test.listen();
});
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  sockets = [];
});
afterAll(() => test.close());

const bearer = (owner: Owner) => `Bearer ${test.app.get(AuthService).sign(owner)}`;

/** A signed path of a stored recording. */
async function aFile(owner: Owner, seconds: number, details?: unknown): Promise<string> {
  const { file_id } = await test.app.get(FileService).save(owner, [new Uint8Array(aRecording(seconds))], details);
  const { pathname, search } = new URL(test.app.get(FileUrls).sign(file_id));
  return pathname + search;
}

async function aHistory(owner: Owner, characters: number): Promise<string> {
  for (let n = 0; n < 20; n++)
    await test.app.get(ChatService).record(aTurn({ owner, request: 'x'.repeat(characters), answer: 'y' } as never));
  return `/chat?user_id=${owner.user_id}&per_page=1000`;
}

/** Sends a request of which nothing is read but the status, if there is any. */
async function stall(path: string, authorization = '', localAddress = '127.0.0.2'): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  sockets.push(socket.on('error', () => undefined));
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n${authorization && `Authorization: ${authorization}\r\n`}\r\n`);
  await Promise.race([once(socket, 'readable'), once(socket, 'close')]);
  return String(socket.read(12));
}

async function read(path: string, authorization?: string): Promise<number> {
  const [response] = (await once(
    get({ port, host: '127.0.0.1', path, headers: authorization ? { authorization } : {} }),
    'response',
  )) as [IncomingMessage];
  let bytes = 0;
  for await (const piece of response) bytes += (piece as Buffer).length;
  expect(bytes).toBeGreaterThan(0);
  return response.statusCode!;
}

it('bytes of responses that a greedy user does not read leave others their own', async () => {
  const [greedy, modest] = [anOwner(), anOwner()];
  const wanted = await Promise.all(Array.from({ length: 5 }, () => aFile(greedy, 300)));
  wanted.push(await aHistory(greedy, 8000));
  const history = await aHistory(modest, 2000);
  const file = await aFile(modest, 60, { seconds: 60, phonemes: [] });
  const [token, own] = [bearer(greedy), bearer(modest)];
  const statuses: number[] = [];
  for (let round = 0; round < 2; round++) {
    await Promise.all(Array.from({ length: 100 }, (__, n) => stall(wanted[n % wanted.length]!, token)));
    statuses.push(await read(history, own), await read(file), await read(file.replace('?', '/details?')));
  }
  expect(statuses).toEqual([200, 200, 200, 200, 200, 200]);
  expect(test.app.get(ResponseMemory).size).toBeLessThanOrEqual(MAX_HELD_BYTES);
}, 240_000);
