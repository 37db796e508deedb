import { on, once } from 'node:events';
import type { Socket } from 'node:net';
import { BSONError } from 'bson';
import { OK } from './wire.js';
import { encode, joinElements } from '../values/bson.js';
import { commands } from '../commands/commands.js';
import type { Connection, ServerState } from '../server/server-state.js';
import { checkCommand } from './command-options.js';
import { CommandError } from './errors.js';
import { unsupported } from './options.js';
import { Framer, Reply, Request, answer, parse } from './wire.js';

/** Buffers at most this many chunks from a client; then reading pauses. */
const READ_AHEAD = { highWaterMark: 16, lowWaterMark: 4, close: ['end', 'close'] };

/** Serves one client. Messages are answered in order, as drivers send them. A disconnect is noticed while a command runs. */
export async function serve(state: ServerState, socket: Socket, connection: Connection): Promise<void> {
  const framer = new Framer();
  const left = (): void => {
    connection.gone = true;
  };
  socket.once('end', left);
  // The loop below listens only until the client has left; an answer that comes later is an error of the socket.
  socket.on('error', left);
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => {
      left();
      resolve();
    });
  });
  try {
    for await (const [chunk] of on(socket, 'data', READ_AHEAD)) {
      for (const message of framer.push(chunk as Buffer)) {
        await handle(state, socket, parsed(message), connection);
        if (socket.writableNeedDrain) await Promise.race([once(socket, 'drain'), closed]);
      }
    }
  } catch {
    // The client has disconnected, or its stream can no longer be split into messages.
  } finally {
    socket.destroy();
  }
}

/** Returns an error in place of the body. @throws if the request cannot be answered at all. */
function parsed(message: Buffer): Request | { request: Pick<Request, 'id' | 'opcode'>; error: unknown } {
  try {
    return parse(message);
  } catch (error) {
    if (error instanceof CommandError) throw error;
    return { request: { id: message.readInt32LE(4), opcode: message.readInt32LE(12) }, error };
  }
}

async function handle(
  state: ServerState,
  socket: Socket,
  request: ReturnType<typeof parsed>,
  connection: Connection,
): Promise<void> {
  if ('error' in request) {
    if (!socket.destroyed) answer(socket, request.request, failure(request.error));
    return;
  }
  let reply: Reply;
  try {
    reply = await run(state, request, connection);
    if (!Buffer.isBuffer(reply)) reply = joinElements([encode(reply).subarray(4, -1), OK]);
  } catch (error) {
    reply = failure(error);
  }
  if (!request.silent && !socket.destroyed) answer(socket, request, reply);
}

async function run(state: ServerState, { name, body }: Request, connection: Connection): Promise<Reply> {
  // Drivers treat every error with code 20 as one about retryable writes.
  if (body.startTransaction !== undefined || body.autocommit !== undefined)
    throw unsupported('Transactions are', 'OperationNotSupportedInTransaction');
  const command = commands.get(name);
  if (/^(saslStart|saslContinue|authenticate)$/.test(name))
    throw unsupported('Authentication (credentials in the URI) is', 'AuthenticationFailed');
  if (!command)
    throw new CommandError('CommandNotFound', `no such command: '${name}', not supported by embedded-mongo`);
  checkCommand(name, body);
  if (state.store.ready) await state.store.ready;
  state.refresh();
  return command(state, body, connection);
}

function failure(error: unknown): Reply {
  const known = error instanceof CommandError ? error : translated(error);
  return { ok: 0, errmsg: known.message, code: known.code, codeName: known.codeName, ...known.extra };
}

function translated(error: unknown): CommandError {
  if (error instanceof BSONError) return new CommandError('InvalidBSON', `invalid BSON: ${error.message}`);
  if (error instanceof RangeError && /call stack/.test(error.message))
    return new CommandError('Overflow', 'the command is nested too deep');
  return new CommandError('InternalError', (error as Error).message);
}
