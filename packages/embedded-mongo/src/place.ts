import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';

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

/** Where a server listens, the URI for it, and how to clear the place up afterwards. */
export interface Place {
  listen: { path: string } | { host: string; port: number };
  uri(port?: number): string;
  clear(): void;
}

/** What a Unix socket's path may be long on every system. */
const MAX_PATH = 100;
/** How the name of a directory begins that is for one socket alone. */
const OWN = 'embedded-mongo-';
const OPTIONS = 'directConnection=true';

/** A socket of this process's own in the data directory; a port where one is asked for, and on Windows. */
export function place({ path, port: wanted, host = '127.0.0.1', address }: EmbeddedMongoOptions): Place {
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
  if (directory && join(directory, name).length <= MAX_PATH && make(directory)) {
    removeDead(directory);
    return at(join(directory, name));
  }
  return at(join(mkdtempSync(join(tmpdir(), OWN)), name));
}

/** Returns whether the directory is there; a full disk has no room for it. */
function make(directory: string): boolean {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return false;
    throw error;
  }
}

function at(socket: string): Place {
  const own = basename(dirname(socket)).startsWith(OWN);
  const clear = (): void => rmSync(own ? dirname(socket) : socket, { recursive: true, force: true });
  // One that was left behind at the same address.
  rmSync(socket, { force: true });
  mkdirSync(dirname(socket), { recursive: true, mode: 0o700 });
  return { listen: { path: socket }, uri: () => `mongodb://${encodeURIComponent(socket)}/?${OPTIONS}`, clear };
}

/** Sockets of processes that are gone. */
function removeDead(directory: string): void {
  for (const name of readdirSync(directory)) {
    const pid = Number(/^server-(\d+)-\w+\.sock$/.exec(name)?.[1]);
    if (pid && !alive(pid)) rmSync(join(directory, name), { force: true });
  }
}

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
