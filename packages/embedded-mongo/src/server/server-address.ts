import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';

/** Where to store the data, and where to listen. */
export interface EmbeddedMongoOptions {
  /** A directory, created if missing, or `:memory:` for a temporary store. */
  path: string;
  /** A TCP port, 0 for any free one. By default a Unix socket in the directory is used (on Windows any free port). */
  port?: number;
  /** The address for the port; 127.0.0.1 by default. There is no authentication. */
  host?: string;
  /** The URI of a stopped server whose address is to be reused. */
  address?: string;
  /** Called with warnings for the operator, such as a full disk. */
  warn?: (message: string) => void;
}

/** Where a server listens, its URI, and how to clean up afterwards. */
export interface ServerAddress {
  listen: { path: string } | { host: string; port: number };
  uri(port?: number): string;
  clear(): void;
}

/** The longest path of a Unix socket that works on every system. */
const MAX_PATH = 100;
/** The name prefix of a directory that holds a single socket. */
const SOCKET_DIRECTORY_PREFIX = 'embedded-mongo-';
const OPTIONS = 'directConnection=true';
/** How long to wait for a socket that may be dead to accept a connection. */
const CONNECT_TIMEOUT_MS = 1000;

/** A socket in the data directory, named for this process; a port if requested, and on Windows. */
export function serverAddress({
  path,
  port: wanted,
  host = '127.0.0.1',
  address,
}: EmbeddedMongoOptions): ServerAddress {
  const port = wanted === 0 && address ? Number(new URL(address).port) : wanted;
  if (port !== undefined || process.platform === 'win32') {
    const shown = host.includes(':') ? `[${host}]` : host;
    return {
      listen: { host, port: port ?? 0 },
      uri: (bound) => `mongodb://${shown}:${bound}/?${OPTIONS}`,
      clear: () => undefined,
    };
  }
  if (address) return at(decodeURIComponent(new URL(address).host));
  const name = `server-${process.pid}-${Math.random().toString(36).slice(2, 8)}.sock`;
  const directory = path === ':memory:' ? undefined : join(resolve(path), 'sockets');
  if (directory && join(directory, name).length <= MAX_PATH && make(directory)) return at(join(directory, name));
  return at(join(mkdtempSync(join(tmpdir(), SOCKET_DIRECTORY_PREFIX)), name));
}

/** Returns whether the directory exists afterwards. It cannot be created on a full disk. */
function make(directory: string): boolean {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return false;
    throw error;
  }
}

function at(socket: string): ServerAddress {
  const own = basename(dirname(socket)).startsWith(SOCKET_DIRECTORY_PREFIX);
  const clear = (): void => rmSync(own ? dirname(socket) : socket, { recursive: true, force: true });
  // A stale socket at the same address.
  rmSync(socket, { force: true });
  mkdirSync(dirname(socket), { recursive: true, mode: 0o700 });
  return { listen: { path: socket }, uri: () => `mongodb://${encodeURIComponent(socket)}/?${OPTIONS}`, clear };
}

/**
 * Removes the sockets of processes that no longer exist. A process in another container may use the directory too, and its
 * pid is unknown here, so a socket is removed only if it refuses connections as well.
 */
export async function removeDeadSockets(directory: string): Promise<void> {
  const unknown = readdirSync(directory).filter((name) => {
    const pid = Number(/^server-(\d+)-\w+\.sock$/.exec(name)?.[1]);
    // The socket of a process that is about to listen refuses connections.
    return pid && !alive(pid);
  });
  await Promise.all(
    unknown.map(async (name) => {
      if (await refuses(join(directory, name))) rmSync(join(directory, name), { force: true });
    }),
  );
}

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function refuses(path: string): Promise<boolean> {
  const socket = connect({ path, signal: AbortSignal.timeout(CONNECT_TIMEOUT_MS) });
  try {
    await once(socket, 'connect');
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ECONNREFUSED';
  } finally {
    socket.destroy();
  }
}
