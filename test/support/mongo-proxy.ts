import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { mongo } from 'mongoose';

const { BSON } = mongo;
const OP_MSG = 2013;
/** Of the first document of an OP_MSG. */
const BODY_AT = 21;

/** What the proxy answers in place of the server. With `isWritten`, the write is done, and its concern is not met. */
export interface MongoFault {
  code: number;
  isWritten?: boolean;
}

export interface MongoProxy {
  uri: string;
  /** The fault of a command, such as `insert messages`; called for every one. */
  faultOf: (command: string) => MongoFault | undefined;
  /** Closes all connections; new ones are accepted. */
  disconnect(): void;
  close(): Promise<void>;
}

/** A proxy to a database server, which answers chosen commands with an error code. */
export async function aMongoProxy(target: string): Promise<MongoProxy> {
  const { hostname, port } = new URL(target.replace(/^mongodb/, 'http'));
  const sockets = new Set<Socket>();
  const proxy: MongoProxy = {
    uri: '',
    faultOf: () => undefined,
    disconnect() {
      for (const socket of sockets) socket.destroy();
    },
    async close() {
      proxy.disconnect();
      server.close();
      await once(server, 'close');
    },
  };
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    /** Write concern errors, by the identifier of the request. */
    const unmet = new Map<number, number>();
    frames(client, (message) => {
      const fault = message.readInt32LE(12) === OP_MSG ? proxy.faultOf(nameOf(message)) : undefined;
      if (fault && !fault.isWritten) return client.write(reply(message.readInt32LE(4), errorOf(fault.code)));
      if (fault) unmet.set(message.readInt32LE(4), fault.code);
      upstream.write(message);
    });
    frames(upstream, (message) => {
      const request = message.readInt32LE(8);
      const code = unmet.get(request);
      unmet.delete(request);
      if (code === undefined) return client.write(message);
      const body = BSON.deserialize(message.subarray(BODY_AT));
      client.write(reply(request, { ...body, writeConcernError: { code, errmsg: 'not replicated' } }));
    });
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one);
      one.on('error', () => undefined).on('close', () => (sockets.delete(one), other.destroy()));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  proxy.uri = `mongodb://127.0.0.1:${(server.address() as AddressInfo).port}/?directConnection=true`;
  return proxy;
}

function frames(socket: Socket, onMessage: (message: Buffer) => void): void {
  let rest = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 4 && rest.length >= rest.readInt32LE(0)) {
      const length = rest.readInt32LE(0);
      onMessage(rest.subarray(0, length));
      rest = rest.subarray(length);
    }
  });
}

function nameOf(message: Buffer): string {
  const length = message.readInt32LE(BODY_AT);
  const body = BSON.deserialize(message.subarray(BODY_AT, BODY_AT + length));
  const [name = '', collection] = Object.entries(body)[0] ?? [];
  return `${name} ${String(collection)}`;
}

const errorOf = (code: number) => ({ ok: 0, code, codeName: `Code${code}`, errmsg: 'the proxy says so' });

function reply(request: number, body: object): Buffer {
  const document = BSON.serialize(body);
  const head = Buffer.alloc(BODY_AT);
  head.writeInt32LE(head.length + document.length, 0);
  head.writeInt32LE(request, 8);
  head.writeInt32LE(OP_MSG, 12);
  return Buffer.concat([head, document]);
}
