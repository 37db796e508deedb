import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { ChatService, type Owner } from '../../src/index.js';
import { MessageArchive } from '../../src/messages/index.js';
import { ResponseMemory } from '../../src/platform/limits/index.js';
import { MAX_HELD_BYTES_PER_SUBJECT } from '../../src/platform/limits/response-memory.js';
import { anOwner, anyServer, aTurn, oneAppPerServer, onEachServer, type TestApp } from '../support/index.js';

/** Histories whose pages are too large to be held in memory. */
async function aLargeHistory(test: TestApp, messages: number, characters: number): Promise<Owner> {
  const owner = anOwner();
  const said = (n: number) => ({
    ...owner,
    _id: randomBytes(12).toString('hex'),
    direction: 'incoming' as const,
    request: `${n} "é\n`,
    answer: String.fromCharCode(97 + (n % 26)).repeat(characters - (n % 7)),
    avatar_id: 'ada',
    avatar_name: 'Ada',
    // Two per date.
    date: 1000 + Math.floor(n / 2),
    chat_type: 'text' as const,
    language_code: 'en',
  });
  await test.app.get(MessageArchive).add(Array.from({ length: messages }, (_, n) => said(n)));
  return owner;
}

const appOn = oneAppPerServer();

onEachServer((server) => {
  let test: TestApp;
  beforeAll(async () => (test = await appOn(server)));

  const page = async (owner: Owner, range: string, method: 'GET' | 'HEAD' = 'GET') =>
    test.call({
      method,
      path: `/chat?user_id=${owner.user_id}&${range}`,
      token: await test.token(owner.user_id, owner.project_id),
    });

  it('a large page is complete, and states whether there are more', async () => {
    const owner = await aLargeHistory(test, 250, 10_000);
    const chat = test.app.get(ChatService);
    const { payload } = await chat.page(owner, { limit: 1000 });
    for (const [range, from, to] of [
      ['per_page=1000', 0, 250],
      ['per_page=120&page=2', 120, 240],
      ['per_page=249', 0, 249],
      ['per_page=250', 0, 250],
      [`per_page=200&before=${payload[20]!._id}`, 21, 221],
      ['per_page=100&page=3', 200, 250],
    ] as const) {
      const { status, headers, text } = await page(owner, range);
      const expected = JSON.stringify({ payload: payload.slice(from, to), has_more_messages: to < 250 });
      expect({ range, status, type: headers['content-type'], isSame: text === expected }).toEqual({
        range,
        status: 200,
        type: 'application/json; charset=utf-8',
        isSame: true,
      });
    }
    expect(await page(owner, 'per_page=1000', 'HEAD')).toMatchObject({ status: 200, text: '' });
    expect(test.app.get(ResponseMemory).size).toBe(0);
  });

  it('many small messages are one page with its length', async () => {
    const owner = await aLargeHistory(test, 300, 100);
    const { payload } = await test.app.get(ChatService).page(owner, { limit: 1000 });
    const { headers, text } = await page(owner, 'per_page=1000');
    expect(text).toBe(JSON.stringify({ payload, has_more_messages: false }));
    expect(headers['content-length']).toBe(String(Buffer.byteLength(text)));
  });
});

describe('clients that read nothing', () => {
  let test: TestApp;
  let port: number;
  let owner: Owner;
  let sockets: Socket[] = [];
  beforeAll(async () => {
    test = await appOn(anyServer());
    port = await test.listen();
    owner = await aLargeHistory(test, 160, 100_000);
  });
  afterEach(() => {
    for (const socket of sockets) socket.destroy();
    sockets = [];
  });

  const request = (token: string) =>
    `GET /chat?user_id=${owner.user_id}&per_page=160 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`;
  /** Sends a request, and reads only the status. */
  const ask = async (token: string): Promise<string> => {
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    socket.write(request(token));
    await once(socket, 'readable');
    return String(socket.read(12));
  };
  const expectGivenBack = async () => {
    const held = test.app.get(ResponseMemory);
    for (let i = 0; i < 3000 && held.size > 0; i++) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(held.size).toBe(0);
  };

  it('hold a bounded number of bytes per user, and others are served', async () => {
    const token = await test.token(owner.user_id, owner.project_id);
    const statuses = await Promise.all(Array.from({ length: 24 }, () => ask(token)));
    const served = statuses.filter((status) => status === 'HTTP/1.1 200').length;
    const held = test.app.get(ResponseMemory).size;
    // On a busy machine some may have timed out, or have made room for others.
    const refused = statuses.filter((status) => /^HTTP\/1.1 (429|503)$/.test(status)).length;
    expect(served).toBeGreaterThan(0);
    expect(refused).toBeGreaterThan(0);
    expect(served + refused).toBe(24);
    expect(held).toBeLessThanOrEqual(MAX_HELD_BYTES_PER_SUBJECT);
    const other = anOwner();
    await test.app.get(ChatService).record(aTurn({ owner: other }));
    const path = `/chat?user_id=${other.user_id}`;
    expect((await test.call({ path, token: await test.token(other.user_id, other.project_id) })).status).toBe(200);
    for (const socket of sockets) socket.destroy();
    await expectGivenBack();
    expect(await ask(token)).toBe('HTTP/1.1 200');
  });

  it('release what is held for pipelined requests on their connection', async () => {
    const token = await test.token(owner.user_id, owner.project_id);
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    socket.write(request(token).repeat(3));
    await once(socket, 'readable');
    while (test.app.get(ResponseMemory).size < 2 * 2 ** 20) await new Promise((resolve) => setTimeout(resolve, 10));
    socket.destroy();
    await expectGivenBack();
  });

  it('get concurrent inserts neither twice nor in place of others', async () => {
    const reader = await aLargeHistory(test, 150, 60_000);
    const { payload } = await test.app.get(ChatService).page(reader, { limit: 150 });
    const token = await test.token(reader.user_id, reader.project_id);
    const response = await fetch(`http://127.0.0.1:${port}/chat?user_id=${reader.user_id}&per_page=150`, {
      headers: { authorization: `Bearer ${token}` },
    });
    await test.app.get(ChatService).record(aTurn({ owner: reader }));
    expect((await response.text()) === JSON.stringify({ payload, has_more_messages: false })).toBe(true);
  });
});
