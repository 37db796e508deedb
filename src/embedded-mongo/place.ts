import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** Where a server listens, the URI for it, and how to clear the place up afterwards. */
export interface Place {
  listen: { path: string } | { host: string; port: number };
  uri(port?: number): string;
  clear(): void;
}

/** What a Unix socket's path may be long on every system. */
const MAX_PATH = 100;
const OPTIONS = 'directConnection=true';

/** A socket of this process's own in the data directory; a port where one is asked for, and on Windows. */
export function place(path: string, port?: number, host = '127.0.0.1'): Place {
  if (port !== undefined || process.platform === 'win32') {
    const shown = host.includes(':') ? `[${host}]` : host;
    return {
      listen: { host, port: port ?? 0 },
      uri: (bound) => `mongodb://${shown}:${bound}/?${OPTIONS}`,
      clear: () => undefined,
    };
  }
  const name = `server-${process.pid}-${Math.random().toString(36).slice(2, 8)}.sock`;
  let directory = path === ':memory:' ? undefined : join(resolve(path), 'sockets');
  const own = !directory || join(directory, name).length > MAX_PATH;
  if (own) directory = mkdtempSync(join(tmpdir(), 'embedded-mongo-'));
  mkdirSync(directory!, { recursive: true, mode: 0o700 });
  if (!own) removeDead(directory!);
  const socket = join(directory!, name);
  return {
    listen: { path: socket },
    uri: () => `mongodb://${encodeURIComponent(socket)}/?${OPTIONS}`,
    clear: () => rmSync(own ? directory! : socket, { recursive: true, force: true }),
  };
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
