import type { Socket } from 'node:net';
import { Doc, MAX_MESSAGE, decode, element, encode, joinElements } from '../values/bson.js';
import { CommandError } from './errors.js';

const OP_REPLY = 1;
const OP_QUERY = 2004;
const OP_MSG = 2013;
const CHECKSUM = 1;
const MORE_TO_COME = 2;

/** A received command. `raw` holds the documents of an insert as bytes. */
export interface Request {
  id: number;
  opcode: number;
  name: string;
  body: Doc;
  /** The client expects no reply. */
  silent: boolean;
}

/** Splits a stream into messages. @throws CommandError on an impossible length: the connection has to end. */
export class Framer {
  private chunks: Buffer[] = [];
  private size = 0;

  *push(chunk: Buffer): Generator<Buffer> {
    this.chunks.push(chunk);
    this.size += chunk.length;
    while (this.size >= 16) {
      const length = this.head(4).readInt32LE();
      if (length < 16 || length > MAX_MESSAGE) throw new CommandError('ProtocolError', `message of ${length} bytes`);
      if (this.size < length) return;
      const all = this.head(length);
      this.chunks = all.length > length ? [all.subarray(length)] : [];
      this.size -= length;
      yield all.subarray(0, length);
    }
  }

  /** The buffered bytes, joined only as far as necessary. */
  private head(length: number): Buffer {
    if (this.chunks[0]!.length < length) this.chunks = [Buffer.concat(this.chunks)];
    return this.chunks[0]!;
  }
}

/** @throws CommandError or BSONError if it is not a well-formed command. */
export function parse(message: Buffer): Request {
  const id = message.readInt32LE(4);
  const opcode = message.readInt32LE(12);
  if (opcode === OP_QUERY) {
    const end = message.indexOf(0, 20);
    const body = decode(document(message, end + 9));
    return { id, opcode, name: Object.keys(body)[0] ?? '', body: { $db: 'admin', ...body }, silent: false };
  }
  if (opcode !== OP_MSG) throw new CommandError('ProtocolError', `opcode ${opcode} is not supported`);
  const flags = message.readUInt32LE(16);
  if (flags & 0xfffc) throw new CommandError('ProtocolError', `unknown required flags ${flags}`);
  const end = message.length - (flags & CHECKSUM ? 4 : 0);
  let body: { bytes: Buffer; name: string } | undefined;
  const sequences: Record<string, Buffer[]> = {};
  let at = 20;
  while (at < end) {
    const kind = message[at++];
    if (kind === 0 && !body) {
      const bytes = document(message, at, end);
      body = { bytes, name: bytes.length > 5 ? bytes.toString('utf8', 5, bytes.indexOf(0, 5)) : '' };
      at += bytes.length;
    } else if (kind === 1) {
      const stop = at + message.readInt32LE(at);
      const zero = message.indexOf(0, at + 4);
      if (stop > end || stop < at + 5 || zero < 0 || zero >= stop)
        throw new CommandError('ProtocolError', 'bad document sequence');
      const name = message.toString('utf8', at + 4, zero);
      const list: Buffer[] = (sequences[name] ??= []);
      for (at = zero + 1; at < stop; at += list.at(-1)!.length) list.push(document(message, at, stop));
    } else throw new CommandError('ProtocolError', `bad section of kind ${kind}`);
  }
  if (!body) throw new CommandError('ProtocolError', 'message without a body');
  const raw = body.name === 'insert' ? 'documents' : undefined;
  const fields = decode(body.bytes, raw);
  for (const [name, list] of Object.entries(sequences))
    fields[name] = name === raw ? list : list.map((bytes) => decode(bytes));
  return { id, opcode, name: body.name, body: fields, silent: (flags & MORE_TO_COME) !== 0 };
}

function document(message: Buffer, at: number, end = message.length): Buffer {
  const length = at >= 20 && at + 5 <= end ? message.readInt32LE(at) : -1;
  if (length < 5 || at + length > end) throw new CommandError('ProtocolError', 'a document does not fit its message');
  return message.subarray(at, at + length);
}

/** A reply: a document, or a cursor's batch of documents as bytes. */
export type Reply = Doc | Buffer;

export const OK = element(1, 'ok', Buffer.from([0, 0, 0, 0, 0, 0, 0xf0, 0x3f]));
let nextId = 1;

/** Sends the reply to a request. */
export function answer(socket: Socket, request: Pick<Request, 'id' | 'opcode'>, reply: Reply): void {
  const body = Buffer.isBuffer(reply) ? reply : encode(reply);
  const legacy = request.opcode === OP_QUERY;
  const head = Buffer.alloc(legacy ? 36 : 21);
  head.writeInt32LE(head.length + body.length, 0);
  head.writeInt32LE((nextId = (nextId % 0x7fffffff) + 1), 4);
  head.writeInt32LE(request.id, 8);
  head.writeInt32LE(legacy ? OP_REPLY : OP_MSG, 12);
  if (legacy) {
    head.writeInt32LE(8, 16);
    head.writeInt32LE(1, 32);
  }
  socket.cork();
  socket.write(head);
  socket.write(body);
  process.nextTick(() => socket.uncork());
}

/** Wraps an encoded array in `{cursor: {firstBatch | nextBatch, id, ns}, ok: 1}`. */
export function cursorReply(name: 'firstBatch' | 'nextBatch', batch: Buffer, id: Doc[string], ns: string): Buffer {
  const rest = encode({ id, ns });
  const cursor = joinElements([element(4, name, batch), rest.subarray(4, -1)]);
  return joinElements([element(3, 'cursor', cursor), OK]);
}
