import { chmodSync } from 'node:fs';
import { AddressInfo, Server, Socket, createServer } from 'node:net';
import { serve } from './connection.js';
import { Engine } from './engine.js';
import { place } from './place.js';
import { expire } from './ttl.js';

/** Where to keep the data, and where to listen. */
export interface EmbeddedMongoOptions {
  /** A directory, made when missing, or `:memory:` for a store that keeps nothing. */
  path: string;
  /** A TCP port, 0 for any. Without it a Unix socket in the directory is used (on Windows any port). */
  port?: number;
  /** The address for the port; 127.0.0.1 by default. There is no authentication. */
  host?: string;
  /** The URI of a server that has ended and whose address is to be used again. */
  address?: string;
  /** Hears what an operator should know, such as a full disk. */
  warn?: (message: string) => void;
}

/** A running server. */
export interface EmbeddedMongo {
  /** What a MongoDB driver connects to; it names no database. */
  uri: string;
  /** Ends the connections, finishes the writes in progress and closes the files. */
  close(): Promise<void>;
}

/** Runs a server in this thread. @throws Error when the data cannot be used or the address is taken. */
export async function runServer(options: EmbeddedMongoOptions): Promise<EmbeddedMongo> {
  const engine = new Engine(options.path, { warn: options.warn });
  engine.tidy();
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    const peer = socket.remoteAddress ? `${socket.remoteAddress}:${socket.remotePort}` : 'anonymous unix socket';
    void serve(engine, socket, { id: ++connections, peer, open: () => sockets.size });
  });
  const { listen, uri, clear } = place(options);
  try {
    await listening(server, listen);
  } catch (error) {
    clear();
    await engine.close();
    throw error;
  }
  if ('path' in listen) chmodSync(listen.path, 0o600);
  const stopExpiry = expire(engine);
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    stopExpiry();
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
    clear();
    await engine.close();
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
