import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { HttpServer as HostAdapter } from '@nestjs/common';
import { takesUpgrades } from 'avatar-chat-runtime';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { refuseExpectation } from './socket-refusals.js';

/** Node's own listener to connections, which parses what arrives. */
const [parse] = createServer().listeners('connection') as [(this: Server, socket: Duplex) => void];
/** A header that requests a protocol upgrade, and headers that belong to it. */
const UPGRADE_HEADERS = ['upgrade', 'connection', 'http2-settings'];

/**
 * The service within the HTTP server of a host application. Requests under its prefix go to the service before the host
 * sees them; without a prefix, those with a path for which the service has a route. All others go to the host.
 */
export class Mount {
  /** With a leading slash, or empty. */
  readonly prefix: string;
  /** The host's server, once known. */
  server?: Server;
  private readonly routes = new Set<string>();
  private pattern?: RegExp;
  private readonly handle: RequestListener;

  /** @param prefix `talk/v1`, or empty. Create it before the service has routes. */
  constructor(
    private readonly service: FastifyInstance,
    prefix = '',
  ) {
    this.prefix = prefix && `/${prefix}`;
    this.handle = (request, response) => service.routing(request, response);
    service.addHook('onRoute', ({ url }: RouteOptions) => {
      if (url !== '*' && url !== '/*') this.routes.add(url);
      this.pattern = undefined;
    });
  }

  /**
   * Handles requests that reach the host's framework without its server, such as Fastify's `inject()`. Call it early,
   * before the host's own hooks.
   */
  joinFramework(host: HostAdapter): void {
    if (host.getType() === 'fastify') {
      (host.getInstance() as FastifyInstance).addHook(
        'onRequest',
        (request: FastifyRequest, reply: FastifyReply, done) => {
          if (!this.claim(request.raw)) return done();
          reply.hijack();
          this.handle(request.raw, reply.raw as never);
        },
      );
    } else if (host.getType() === 'express') {
      host.use?.((request: IncomingMessage, response: ServerResponse, next: () => void) => {
        if (this.claim(request)) this.handle(request, response as never);
        else next();
      });
    }
  }

  /** Handles requests of the server, whatever other listeners it has now or later. */
  joinServer(server: Server): void {
    this.server = server;
    const { handle } = this;
    const emit = server.emit.bind(server) as (event: string | symbol, ...args: unknown[]) => boolean;
    // Node checks for listeners before it emits these.
    const none = () => undefined;
    server.on('upgrade', none).on('checkExpectation', none);
    const isOwnAlone = (event: 'upgrade' | 'checkExpectation') => server.listenerCount(event) === 1;
    server.emit = (event: string | symbol, ...args: unknown[]): boolean => {
      const [request, response] = args as [IncomingMessage, ServerResponse & { req: IncomingMessage }];
      if (event === 'request' && this.claim(request)) handle(request, response);
      else if (event === 'checkContinue' && this.claim(request)) {
        response.writeContinue();
        handle(request, response);
      } else if (event === 'checkExpectation' && this.claim(request)) refuseExpectation(request, response);
      else if (event === 'checkExpectation' && isOwnAlone(event)) response.writeHead(417).end();
      else if (event === 'upgrade') {
        const [, socket, head] = args as [IncomingMessage, Duplex, Buffer];
        if (this.claim(request)) {
          if (takesUpgrades(request)) this.service.server.emit('upgrade', request, socket as never, head);
          else askAgain(server, request, socket, head);
        } else if (isOwnAlone(event)) askAgain(server, request, socket, head);
        else return emit(event, ...args);
      } else return emit(event, ...args);
      return true;
    };
  }

  /** Whether a request belongs to the service; if so, its path is rewritten to the one that the service knows. */
  private claim(request: IncomingMessage & { originalUrl?: string }): boolean {
    const { url = '/' } = request;
    const own = this.ownUrl(url);
    if (own === undefined) return false;
    request.originalUrl ??= url;
    request.url = own;
    return true;
  }

  private ownUrl(url: string): string | undefined {
    if (this.prefix === '') return this.hasRoute(url.split('?', 1)[0]!) ? url : undefined;
    if (!url.startsWith(this.prefix)) return undefined;
    const rest = url.slice(this.prefix.length);
    if (rest === '' || rest.startsWith('?')) return `/${rest}`;
    return rest.startsWith('/') ? rest : undefined;
  }

  private hasRoute(path: string): boolean {
    this.pattern ??= new RegExp(`^(?:${[...this.routes].map(patternOf).join('|')})$`);
    return this.pattern.test(path);
  }
}

function patternOf(route: string): string {
  return route
    .split('/')
    .map((part) => (part === '*' ? '.*' : part.startsWith(':') ? '[^/]+' : part.replace(/[^\w-]/g, '\\$&')))
    .join('/');
}

/**
 * Re-emits a request without its upgrade headers, as Node handles it without upgrade listeners: some clients offer
 * HTTP/2 with every request.
 */
function askAgain(
  server: Server,
  request: IncomingMessage & { originalUrl?: string },
  socket: Duplex,
  head: Buffer,
): void {
  const { method, originalUrl, url, httpVersion, rawHeaders } = request;
  const lines = [`${method} ${originalUrl ?? url} HTTP/${httpVersion}`];
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (!UPGRADE_HEADERS.includes(rawHeaders[i]!.toLowerCase())) lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}`);
  if (head.length > 0) socket.unshift(head);
  socket.unshift(Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'));
  // Not emitted as `connection`: to the listeners of the host, and of TLS, this connection is not new.
  parse.call(server, socket);
}
