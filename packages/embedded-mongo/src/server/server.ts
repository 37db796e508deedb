import { chmodSync } from 'node:fs';
import { AddressInfo, Server, Socket, createServer } from 'node:net';
import { dirname } from 'node:path';
import { serve } from '../wire/connection.js';
import { ServerState } from './server-state.js';
import { EmbeddedMongoOptions, removeDeadSockets, serverAddress } from './server-address.js';
import { expire } from '../indexes/ttl.js';

/** A running server. */
export interface EmbeddedMongo {
  /** The connection string for a MongoDB driver. It names no database. */
  uri: string;
  /** Closes the connections, finishes writes in progress and closes the files. */
  close(): Promise<void>;
}

/** Runs a server in this thread. @throws Error if the data cannot be used or the address is in use. */
export async function runServer(options: EmbeddedMongoOptions): Promise<EmbeddedMongo> {
  const state = new ServerState(options.path, { warn: options.warn });
  try {
    return await listenFor(state, options);
  } catch (error) {
    await state.close();
    throw error;
  }
}

async function listenFor(state: ServerState, options: EmbeddedMongoOptions): Promise<EmbeddedMongo> {
  state.tidy();
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    void serve(state, socket, { id: ++connections, open: () => sockets.size });
  });
  const { listen, uri, clear } = serverAddress(options);
  try {
    await listening(server, listen);
  } catch (error) {
    clear();
    throw error;
  }
  if ('path' in listen) {
    chmodSync(listen.path, 0o600);
    await removeDeadSockets(dirname(listen.path));
  }
  const stopExpiry = expire(state);
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    stopExpiry();
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
    clear();
    await state.close();
  };
  const address = server.address();
  return { uri: uri((address as AddressInfo | null)?.port), close: () => (closing ??= close()) };
}

function listening(server: Server, where: object): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(where, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
