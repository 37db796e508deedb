import { once } from 'node:events';
import { AddressInfo, Socket, connect, createServer } from 'node:net';
import { deserialize } from 'bson';
import { Long, encode } from '../values/bson.js';
import { serve } from './connection.js';
import { Connection, ServerState } from '../server/server-state.js';
import { EmbeddedMongo, createEmbeddedMongo } from '../index.js';

const int = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes;
};
const message = (opcode: number, ...parts: Uint8Array[]): Buffer => {
  const body = Buffer.concat(parts);
  return Buffer.concat([int(16 + body.length), int(7), int(0), int(opcode), body]);
};
const MSG = 2013;
/** The id of the last request. */
const LAST = 99;
const QUERY = 2004;
const body = (doc: object): Buffer => Buffer.concat([Buffer.from([0]), encode(doc)]);
const sequence = (name: string, ...docs: Uint8Array[]): Buffer => {
  const content = Buffer.concat([Buffer.from(`${name}\0`), ...docs]);
  return Buffer.concat([Buffer.from([1]), int(4 + content.length), content]);
};
const ping = body({ ping: 1, $db: 'test' });
const query = (doc: Uint8Array) => message(QUERY, int(0), Buffer.from('admin.$cmd\0'), int(0), int(-1), doc);

describe('the wire protocol', () => {
  let server: EmbeddedMongo;
  let socket: Socket;
  let received: Buffer;

  beforeAll(async () => {
    server = await createEmbeddedMongo({ path: ':memory:', port: 0 });
  });
  afterAll(() => server.close());
  beforeEach(async () => {
    received = Buffer.alloc(0);
    socket = connect(Number(new URL(server.uri).port), '127.0.0.1');
    socket.on('data', (chunk) => (received = Buffer.concat([received, chunk])));
    socket.on('error', () => undefined);
    await new Promise((resolve) => socket.once('connect', resolve));
  });
  afterEach(() => socket.destroy());

  /** The replies to these messages, up to that to a final ping, or until the connection ends. */
  const answers = async (...messages: Uint8Array[]): Promise<{ opcode: number; doc: any }[]> => {
    const last = message(MSG, int(0), ping);
    last.writeInt32LE(LAST, 4);
    socket.write(Buffer.concat([...messages, last]));
    for (;;) {
      const found: Buffer[] = [];
      for (let at = 0; received.length >= at + 16; at += received.readInt32LE(at))
        found.push(received.subarray(at, at + received.readInt32LE(at)));
      if (found.at(-1)?.readInt32LE(8) !== LAST && !socket.closed) {
        await new Promise((resolve) => setTimeout(resolve, 5));
        continue;
      }
      return found.map((bytes) => {
        const opcode = bytes.readInt32LE(12);
        return { opcode, doc: deserialize(bytes.subarray(opcode === MSG ? 21 : 36)) };
      });
    }
  };
  const pong = { opcode: MSG, doc: { ok: 1 } };

  it.each<[string, Buffer]>([
    ['a length below that of a header', int(3)],
    ['a length above the limit', int(100_000_000)],
    ['another opcode', message(2002, ping)],
    ['an unknown required flag', message(MSG, int(4), ping)],
    ['no body', message(MSG, int(0))],
    ['two bodies', message(MSG, int(0), ping, ping)],
    ['a section of an unknown kind', message(MSG, int(0), ping, Buffer.from([9]))],
    ['a body longer than the message', message(MSG, int(0), Buffer.from([0]), int(500), Buffer.alloc(9))],
    ['a body shorter than the minimum', message(MSG, int(0), Buffer.from([0]), int(4), Buffer.alloc(9))],
    ['a truncated body', message(MSG, int(0), Buffer.from([0, 9]))],
    ['a sequence longer than the message', message(MSG, int(0), ping, Buffer.from([1]), int(500), Buffer.from('a\0'))],
    ['a sequence without a name', message(MSG, int(0), ping, Buffer.from([1]), int(8), Buffer.from('aaaa'))],
    [
      'a sequence with a truncated document',
      message(MSG, int(0), ping, sequence('documents', encode({ a: 1 }).subarray(0, -2))),
    ],
    ['a truncated query', message(QUERY, int(0), Buffer.from('admin.$cmd\0'), int(0), int(-1))],
  ])('closes a connection that sends %s, and no other', async (_, bytes) => {
    expect(await answers(bytes.length < 16 ? Buffer.concat([bytes, Buffer.alloc(12)]) : bytes)).toEqual([]);
  });

  it('answers commands in order, however they are chunked', async () => {
    const all = Buffer.concat([message(MSG, int(0), body({ hello: 1, $db: 'test' })), message(MSG, int(0), ping)]);
    for (const at of [1, 17, 40]) {
      socket.write(all.subarray(0, at));
      await new Promise(setImmediate);
      socket.write(all.subarray(at));
    }
    const found = await answers();
    expect(found.map(({ doc }) => !!doc.isWritablePrimary)).toEqual([true, false, true, false, true, false, false]);
  });

  it('answers a legacy handshake with its own opcode', async () => {
    const found = await answers(query(encode({ isMaster: 1 })), query(encode({})));
    expect(found[0]).toMatchObject({ opcode: 1, doc: { ismaster: true, ok: 1 } });
    expect(found[1]).toMatchObject({ opcode: 1, doc: { ok: 0, codeName: 'CommandNotFound' } });
    expect(found[2]).toEqual(pong);
  });

  it('skips a checksum, and sends no reply to a command that wants none', async () => {
    const insert = body({ insert: 'things', $db: 'test', writeConcern: { w: 0 } });
    const documents = sequence('documents', encode({ _id: 1 }), encode({ _id: 2 }));
    const found = await answers(
      message(MSG, int(2), insert, documents),
      message(MSG, int(1), body({ count: 'things', $db: 'test' }), int(12345)),
    );
    expect(found).toEqual([{ opcode: MSG, doc: { n: 2, ok: 1 } }, pong]);
  });

  it('reads the statements of an update from sequences', async () => {
    const statement = encode({ q: { _id: 9 }, u: { $set: { a: 1 } }, upsert: true });
    const found = await answers(
      message(MSG, int(0), sequence('updates', statement), body({ update: 'others', $db: 'test' })),
    );
    expect(found).toMatchObject([{ doc: { n: 1, upserted: [{ index: 0, _id: 9 }] } }, pong]);
  });

  it.each<[string, Buffer, object]>([
    ['an empty command', body({}), { code: 59, codeName: 'CommandNotFound' }],
    ['no database', body({ find: 'a' }), { code: 40414 }],
    ['a database that is not a string', body({ find: 'a', $db: 5 }), { code: 40414 }],
    ['a database with a space', body({ find: 'a', $db: 'a b' }), { code: 73, codeName: 'InvalidNamespace' }],
    ['a name with a zero byte', body({ find: 'a\0b', $db: 'test' }), { code: 73 }],
    [
      'a single number for an array of cursors',
      body({ killCursors: 'a', cursors: Long.ONE, $db: 'test' }),
      { code: 14 },
    ],
  ])('answers %s with an error', async (_, section, error) => {
    expect(await answers(message(MSG, int(0), section))).toMatchObject([{ doc: { ok: 0, ...error } }, pong]);
  });

  it('answers a document that is not BSON with an error', async () => {
    const bytes = encode({ ping: 'text', $db: 'test' });
    bytes[4] = 0x77;
    const insert = message(MSG, int(0), body({ insert: 'bad', $db: 'test' }), sequence('documents', bytes));
    const found = await answers(message(MSG, int(0), Buffer.from([0]), bytes), insert);
    expect(found).toMatchObject([
      { doc: { ok: 0, code: 22, codeName: 'InvalidBSON' } },
      { doc: { ok: 0, code: 22, codeName: 'InvalidBSON' } },
      pong,
    ]);
  });

  it('answers a command that is nested too deeply with an error', async () => {
    let nested = encode({ a: 1 });
    const head = Buffer.from('\x03a\0', 'latin1');
    const layers: Buffer[] = [];
    let size = nested.length;
    for (let i = 0; i < 50_000; i++) {
      size += 8;
      layers.push(Buffer.concat([int(size), head]));
    }
    nested = Buffer.concat([...layers.reverse(), nested, Buffer.alloc(50_000)]);
    const found = await answers(message(MSG, int(0), Buffer.from([0]), nested));
    expect(found).toMatchObject([{ doc: { ok: 0, code: 15, codeName: 'Overflow' } }, pong]);
  });
});

it('a command ends when its client disconnects', async () => {
  const state = new ServerState(':memory:');
  const connection: Connection = { id: 1, open: () => 1 };
  let served: Promise<void> | undefined;
  const server = createServer((socket) => (served = serve(state, socket, connection)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const insert = body({ insert: 'm', $db: 't' });
  const docs = Array.from({ length: 1000 }, (_, i) => encode({ _id: i, a: 1 }));
  client.write(message(MSG, int(0), insert, sequence('documents', ...docs)));
  await new Promise((resolve) => client.once('data', resolve));
  // It would yield a million pairs.
  const $lookup = { from: 'm', localField: 'a', foreignField: 'a', as: 'r' };
  const turn = jest.spyOn(state, 'letOthersRun').mockImplementationOnce(async () => {
    client.end();
    while (!connection.gone) await new Promise((resolve) => setTimeout(resolve, 5));
  });
  client.write(
    message(MSG, int(0), body({ aggregate: 'm', pipeline: [{ $lookup }, { $count: 'n' }], cursor: {}, $db: 't' })),
  );
  while (!turn.mock.results[1]) await new Promise((resolve) => setTimeout(resolve, 5));
  await expect(turn.mock.results[1].value).rejects.toMatchObject({ code: 279 });
  await served;
  expect(turn).toHaveBeenCalledTimes(2);
  server.close();
  await state.close();
});

it('an answer to a client that has just left ends its connection and nothing else', async () => {
  const state = new ServerState(':memory:');
  let served: Promise<void> | undefined;
  const errors: string[] = [];
  const server = createServer((socket) => {
    // An error without a listener ends the process: count the listeners when it is emitted.
    const { emit } = socket;
    socket.emit = (event: string, ...args: unknown[]) => {
      if (event === 'error')
        errors.push(`${(args[0] as NodeJS.ErrnoException).code}, ${socket.listenerCount('error')}`);
      return Reflect.apply(emit, socket, [event, ...args]);
    };
    jest.spyOn(state, 'refresh').mockImplementationOnce(() => {
      throw new Error('x');
    });
    const left = once(socket, 'end');
    Object.defineProperty(state.store, 'ready', { configurable: true, value: left });
    served = serve(state, socket, { id: 1, open: () => 1 });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.resume().on('error', () => undefined);
  client.end(message(MSG, int(0), ping));
  await once(client, 'close');
  await served;
  expect(errors).toEqual(['EPIPE, 1']);
  server.close();
  await state.close();
});
