import { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** What the checks before an upgrade may take, in milliseconds. */
const UPGRADE_TIMEOUT = 15_000;
const WANTED = Symbol('upgrade wanted');
const CONNECTION = Symbol('connection');
/** Where WebSockets are taken. */
const paths = new Set<string>();

/** A connection that is to change its protocol, and what has already come on it. */
export interface Upgrade {
  readonly socket: Duplex;
  readonly head: Buffer;
}

/**
 * Requests of the HTTP server. Only WebSockets are upgraded, and where there are any; what asks for another protocol, as
 * some clients do for HTTP/2 with every request, is answered as if it had not, as Node does if nothing is ever upgraded.
 */
export class UpgradableRequest extends IncomingMessage {
  declare [WANTED]: boolean;
  declare [CONNECTION]?: Upgrade;

  get upgrade(): boolean {
    if (!this[WANTED]) return false;
    return this.method === 'CONNECT' || takesUpgrades(this);
  }
  /** Node sets it before the headers are there. */
  set upgrade(wanted: boolean) {
    this[WANTED] = wanted;
  }
}

/**
 * Sends requests for a WebSocket at a path through the same routes, hooks and guards as all others. The handler finds
 * the connection by {@link upgradeOf}; a refusal is an answer like any other, and ends the connection.
 *
 * @param prepare changes the request before it is routed
 */
export function routeUpgrades(
  fastify: FastifyInstance,
  path: string,
  prepare: (request: IncomingMessage) => void,
): void {
  paths.add(path);
  const { server } = fastify;
  // Such as a gateway's, which would end all connections but those for its own path.
  const others = server.listeners('upgrade');
  server.removeAllListeners('upgrade');
  server.on('upgrade', (request: UpgradableRequest, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    if (pathOf(request) !== path) {
      for (const listener of others) Reflect.apply(listener, server, [request, socket, head]);
      return;
    }
    const timer = setTimeout(() => socket.destroy(), UPGRADE_TIMEOUT).unref();
    request[CONNECTION] = { socket, head };
    prepare(request);
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket as never);
    response.once('finish', () => socket.end());
    response.once('close', () => clearTimeout(timer));
    fastify.routing(request, response);
  });
}

/** Lets other listeners of the HTTP server's `upgrade` have the WebSockets at a path, such as that of a gateway. */
export function takeUpgrades(path: string): void {
  paths.add(path);
}

/** The connection of a request that asks for a WebSocket; undefined for any other. */
export function upgradeOf({ raw }: FastifyRequest): Upgrade | undefined {
  return (raw as UpgradableRequest)[CONNECTION];
}

/** Whether a request is at a path where WebSockets are taken, and asks for one. */
export function takesUpgrades(request: IncomingMessage): boolean {
  return request.headers.upgrade?.toLowerCase() === 'websocket' && paths.has(pathOf(request));
}

function pathOf({ url }: IncomingMessage): string {
  return url!.split('?', 1)[0]!;
}
