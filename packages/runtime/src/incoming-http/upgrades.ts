import { IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** Timeout of the checks before an upgrade, in milliseconds. */
const UPGRADE_TIMEOUT_MS = 15_000;
const WANTED = Symbol('upgrade wanted');
const CONNECTION = Symbol('connection');
/** Paths that accept WebSockets. */
const paths = new Set<string>();

/** A Fastify instance, or another router of a server's requests. */
interface Router {
  readonly server: Server;
  routing(request: IncomingMessage, response: ServerResponse): void;
}

/** A connection to be upgraded, and the data that it already sent. */
export interface Upgrade {
  readonly socket: Duplex;
  readonly head: Buffer;
}

/**
 * Upgrade requests of the HTTP server. Only WebSockets are upgraded, and only at registered paths; a request for
 * another protocol, such as some clients' HTTP/2 offers, is handled as if it had no upgrade header, like Node does
 * without upgrade listeners.
 */
export class UpgradableRequest extends IncomingMessage {
  declare [WANTED]: boolean;
  declare [CONNECTION]?: Upgrade;

  get upgrade(): boolean {
    if (!this[WANTED]) return false;
    return this.method === 'CONNECT' || takesUpgrades(this);
  }
  /** Node sets it before the headers are parsed. */
  set upgrade(wanted: boolean) {
    this[WANTED] = wanted;
  }
}

/**
 * Routes WebSocket requests at a path through the same routes, hooks and guards as all others. The handler gets the
 * connection from {@link upgradeOf}; a rejection is an ordinary response, and closes the connection.
 *
 * @param prepare changes the request before it is routed
 */
export function routeUpgrades(router: Router, path: string, prepare: (request: IncomingMessage) => void): void {
  paths.add(path);
  const { server } = router;
  // Such as a gateway's listener, which would close all connections except those for its own path.
  const others = server.listeners('upgrade');
  server.removeAllListeners('upgrade');
  server.on('upgrade', (request: UpgradableRequest, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    if (pathOf(request) !== path) {
      for (const listener of others) Reflect.apply(listener, server, [request, socket, head]);
      return;
    }
    const timer = setTimeout(() => socket.destroy(), UPGRADE_TIMEOUT_MS).unref();
    request[CONNECTION] = { socket, head };
    prepare(request);
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket as never);
    // The server's connections stay open after `end()` until the client closes its side.
    response.once('finish', () => (socket as Socket).destroySoon());
    response.once('close', () => clearTimeout(timer));
    router.routing(request, response);
  });
}

/** Leaves the WebSockets at a path to other `upgrade` listeners of the HTTP server, such as that of a gateway. */
export function takeUpgrades(path: string): void {
  paths.add(path);
}

/** The connection of a WebSocket request; undefined for any other. */
export function upgradeOf({ raw }: { readonly raw: IncomingMessage }): Upgrade | undefined {
  return (raw as UpgradableRequest)[CONNECTION];
}

/** Whether a request is a WebSocket request at a registered path. */
export function takesUpgrades(request: IncomingMessage): boolean {
  return request.headers.upgrade?.toLowerCase() === 'websocket' && paths.has(pathOf(request));
}

function pathOf({ url }: IncomingMessage): string {
  return url!.split('?', 1)[0]!;
}
