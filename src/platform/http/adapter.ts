import { randomUUID } from 'node:crypto';
import type { IncomingMessage, OutgoingHttpHeaders, Server } from 'node:http';
import { Server as NetServer, Socket } from 'node:net';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { HttpException } from '@nestjs/common';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../config/index.js';
import {
  foreignHostRule,
  isReplaced,
  normalizeForwardedFor,
  onceClosedInQueue,
  REPLACED_LIMIT_MS,
  UpgradableRequest,
} from 'avatar-chat-runtime';
import { asServiceError, errorBody, errorOfStatus, failure, ServiceError } from '../errors/index.js';
import { listenOnOneAddress } from './listening.js';
import type { Mount } from './mount.js';
import { addDefaultHeaders, DEFAULT_HEADERS } from './response-headers.js';
import { endConnection, refuseExpectation, refuseOnSocket, URL_LIMIT, watchResponses } from './socket-refusals.js';
import { givenRequestId, releaseTraces, traceRequests } from './request-ids.js';

/** Maximum size of a JSON body, in bytes. */
export const BODY_LIMIT = 64 * 1024;
const HEADERS_LIMIT = 16 * 1024;
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 15_000;
/** Longer than the 60 s after which load balancers usually drop an idle connection, so that they close it first. */
const KEEP_ALIVE_TIMEOUT_MS = 72_000;
/** How long a response may wait for a client that reads nothing of it. */
const SEND_TIMEOUT_MS = 30_000;
/** Maximum number of connections; further ones are closed at once. An idle one takes some 10 KiB. */
const MAX_CONNECTIONS = 10_000;

/**
 * Phases of a shutdown with open connections, in milliseconds. In the first phase, load balancers with health checks
 * notice that the process is not ready; in the second, with the port closed, requests on open connections get a 503.
 * Only then are connections closed, since a request on a closing connection is lost.
 */
const UNREADY_MS = 1500;
const REFUSING_MS = 500;
/** How long before the end answers in progress are cut, so that their text so far is stored. */
const CUT_MS = 1500;
const DRAIN_STEP_MS = 50;
/** Turns of the event loop without a new request, after which all requests that had arrived have been seen. */
const QUIET_TURNS = 3;

/** How long turns and live sessions continue once the steps before the shutdown hooks of modules are over. */
export function remainingMs(shutdownMs: number): number {
  return Math.max(0, shutdownMs - CUT_MS - UNREADY_MS - REFUSING_MS);
}

/** Nest's Fastify adapter with the body parser of {@link createAdapter} and a graceful drain. */
export class ServiceAdapter extends FastifyAdapter {
  private draining: 'no' | 'replaced' | 'answering' | 'refusing' = 'no';
  private readonly sockets = new Set<Socket>();
  private readonly drainListeners: ((time_left_ms: number) => void)[] = [];
  /** The mount point in the server of a host application. */
  mount?: Mount;
  /** How long the drain may take. */
  shutdownMs = 0;
  private received = 0;

  /** Registers a callback that runs before anything else of a shutdown, with the time that live sessions have left. */
  onDrain(listener: (time_left_ms: number) => void): void {
    this.drainListeners.push(listener);
  }

  /** Whether every response closes its connection. */
  get isDraining(): boolean {
    return this.draining !== 'no';
  }
  /** Whether new requests are refused: not if another worker listens on the same port. */
  get isLeaving(): boolean {
    return this.isDraining && this.draining !== 'replaced';
  }
  get isRefusing(): boolean {
    return this.draining === 'refusing';
  }

  /**
   * Rejections by Fastify and its plugins, with the service's own messages: theirs may quote the request. An unreadable
   * file counts as missing.
   */
  override mapException(error: unknown): unknown {
    const mapped = error instanceof ServiceError ? error : super.mapException(error);
    if (mapped === error || !(mapped instanceof HttpException)) return mapped;
    return errorOfStatus(mapped.getStatus() === 403 ? 404 : mapped.getStatus());
  }

  /** Nest would add its own parsers, with other limits. */
  override registerParserMiddleware(): void {}

  /**
   * Nest awaits it before the rest of the shutdown. From then on every response closes its connection. At first
   * requests are served as usual, then new ones are refused, and finally idle connections are closed.
   */
  override async beforeClose(): Promise<void> {
    super.beforeClose();
    const { server } = this.getInstance();
    this.drain(isReplaced() ? 'replaced' : 'answering');
    if (this.draining === 'replaced') await this.finish(server);
    setTimeout(() => this.closeAll(), this.shutdownMs).unref();
    if (this.draining === 'answering') {
      if (this.sockets.size > 0) await delay(UNREADY_MS);
      await this.readArrived();
      closePort(server);
      this.draining = 'refusing';
      if (this.sockets.size > 0) await delay(REFUSING_MS);
    }
    if (!server.listening && this.sockets.size === 0) return;
    const step = setInterval(() => this.closeIdle(server), DRAIN_STEP_MS).unref();
    server.once('close', () => clearInterval(step));
  }

  /** From now on each response closes its connection, and the service is not ready. Runs once. */
  drain(how: 'replaced' | 'answering' = 'answering'): void {
    if (this.isDraining) return;
    this.draining = how;
    for (const listener of this.drainListeners)
      listener(how === 'replaced' ? REPLACED_LIMIT_MS : this.shutdownMs - CUT_MS);
  }

  /** @internal */
  watch(server: Server): void {
    server.on('request', () => this.received++);
    server.on('connection', (socket: Socket) => {
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
    });
  }

  /** On a busy machine, requests that have arrived long ago may not have been read yet: the first ones take longest. */
  private async readArrived(): Promise<void> {
    const end = performance.now() + Math.max(REFUSING_MS, this.shutdownMs / 4);
    for (let quiet = 0; quiet < QUIET_TURNS && performance.now() < end; quiet++) {
      const { received } = this;
      await nextTurn();
      if (this.received > received) quiet = -1;
    }
  }

  /** Serves the connections of a replaced worker until all are closed, its time is over, or another signal arrives. */
  private async finish(server: Server): Promise<void> {
    closePort(server);
    const started = performance.now();
    let limit = REPLACED_LIMIT_MS;
    process.once('SIGTERM', () => (limit = 0));
    for (let ms = 0; this.sockets.size > 0 && ms < limit; ms = performance.now() - started) {
      if (ms > UNREADY_MS) this.closeIdle(server);
      await delay(DRAIN_STEP_MS);
    }
  }

  /** Includes upgraded connections, which Node no longer counts as its own. */
  private closeAll(): void {
    for (const socket of this.sockets) endConnection(socket);
  }

  /** Node does not consider a connection idle before its first request. */
  private closeIdle(server: Server): void {
    server.closeIdleConnections();
    for (const socket of this.sockets) if (socket.bytesRead === 0) socket.destroy();
  }
}

/** Not by http's own method, which would also close connections with a request on the way. */
function closePort(server: Server): void {
  if (server.listening) NetServer.prototype.close.call(server);
}

/**
 * Creates a Fastify instance with this service's limits, its request ids, and the common error body for errors outside
 * Nest.
 */
export function createAdapter(config: Config): ServiceAdapter {
  const { trustProxy } = config;
  const isForeignHost = foreignHostRule(config);
  const adapter = new ServiceAdapter({
    logger: false,
    trustProxy: typeof trustProxy === 'number' ? (_address, hop) => hop < trustProxy : trustProxy,
    bodyLimit: BODY_LIMIT,
    // Routes validate the names in paths; the URL has its own limit.
    routerOptions: { maxParamLength: URL_LIMIT },
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    onProtoPoisoning: 'remove',
    onConstructorPoisoning: 'remove',
    genReqId: ({ headers }: IncomingMessage) => givenRequestId(headers) ?? randomUUID(),
    http: {
      IncomingMessage: UpgradableRequest,
      headersTimeout: HEADERS_TIMEOUT_MS,
      maxHeaderSize: HEADERS_LIMIT,
      connectionsCheckingInterval: 1000,
      requireHostHeader: false,
    },
    frameworkErrors: (error: FastifyError, request: { id: string }, reply: unknown) =>
      answer(error, request.id, reply as FastifyReply),
    clientErrorHandler: refuseOnSocket as never,
  });
  adapter.shutdownMs = config.shutdownMs;
  const fastify = adapter.getInstance();
  listenOnOneAddress(fastify);
  fastify.server.maxConnections = MAX_CONNECTIONS;
  adapter.watch(fastify.server);
  watchResponses(fastify.server);
  fastify.server.on('checkExpectation', refuseExpectation);
  // For `@RouteConfig({ bodyLimit })`: Nest passes on the configuration of a route, not its options.
  fastify.addHook('onRoute', (route) => {
    const { bodyLimit } = (route.config ?? {}) as { bodyLimit?: number };
    if (bodyLimit !== undefined) route.bodyLimit = bodyLimit;
  });
  traceRequests(fastify);
  fastify.addHook('onRequest', (request, reply, done) => {
    if (trustProxy !== false) normalizeForwardedFor(request.raw.headers);
    if (request.raw.url && request.raw.url.length > URL_LIMIT) return done(failure('uri_too_long'));
    if (request.raw.httpVersion === '1.1' && !request.headers.host) return done(failure('bad_request'));
    if (hasRepeatedHeader(request.raw.rawHeaders)) return done(failure('bad_request'));
    if (isForeignHost && !adapter.mount && isForeignHost(request.headers.host ?? ''))
      return done(failure('foreign_host'));
    if (!isReadable(request)) return done(failure('unsupported_media_type'));
    done(adapter.isRefusing ? failure('service_unavailable') : undefined);
  });
  // Not in the first hook: responses of earlier plugins, such as CORS preflights, need an id too.
  fastify.addHook('onSend', (request, reply, payload, done) => {
    if (payload instanceof Readable) onceClosedInQueue(reply.raw, () => payload.destroy());
    prepareResponse(request, reply);
    if (adapter.isDraining) reply.header('Connection', 'close');
    done();
  });
  // An empty JSON body counts as no body. Plain text is rejected; Fastify would accept it.
  const parseJson = fastify.getDefaultJsonParser('remove', 'remove');
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser(
    /^application\/json(\s*;|\s*$)/i,
    { parseAs: 'string', bodyLimit: BODY_LIMIT },
    (request, body, done) => {
      if (body.length === 0) done(null, undefined);
      else parseJson(request, body as string, (error, value) => done(error && failure('invalid_json'), value));
    },
  );
  // Whether a body in chunks is empty shows at its end: that needs no type.
  fastify.addContentTypeParser('*', ({ headers, is404 }, body, done) => {
    const refusal = is404 ? null : failure('unsupported_media_type');
    if (is404 || headers['content-type'] !== undefined) return done(refusal);
    const accept = () => done(null);
    body.once('end', accept).once('data', () => {
      body.off('end', accept);
      done(refusal);
    });
  });
  return adapter;
}

/** Before anything of a response is sent. */
function prepareResponse(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('X-Request-Id', request.id);
  addDefaultHeaders(reply);
  // Injected test requests have no socket, and would leak the timer.
  if (request.raw.socket instanceof Socket) reply.raw.setTimeout(SEND_TIMEOUT_MS, () => reply.raw.destroy());
}

/** Begins a response whose body its handler writes, for as long as it likes, without Fastify. */
export function beginResponse(request: FastifyRequest, reply: FastifyReply): FastifyReply['raw'] {
  prepareResponse(request, reply);
  releaseTraces(request);
  return reply.hijack().raw.writeHead(reply.statusCode, reply.getHeaders() as OutgoingHttpHeaders);
}

/** Aborted when the client of a response has left, or has got it all. */
export function leavingOf(response: FastifyReply['raw']): AbortController {
  const leaving = new AbortController();
  response.once('close', () => leaving.abort());
  return leaving;
}

/** Detects duplicates of headers for which a proxy may use another one than Node, which uses the first. */
function hasRepeatedHeader(rawHeaders: readonly string[]): boolean {
  let found = '';
  for (let n = 0; n < rawHeaders.length; n += 2) {
    const { length } = rawHeaders[n]!;
    // Lengths first, since every request passes here.
    if (length !== 'host'.length && length !== 'authorization'.length) continue;
    const name = rawHeaders[n]!.toLowerCase();
    if (name !== 'host' && name !== 'authorization') continue;
    if (found.includes(name)) return true;
    found += name;
  }
  return false;
}

/** Forms are read only by routes with `@RouteConfig({ multipart: true })`, compressed bodies by none. */
function isReadable({ headers, is404, routeOptions }: FastifyRequest): boolean {
  const isForm = /^multipart\/form-data\b/i.test(headers['content-type'] ?? '');
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > 0;
  const takesForms = (routeOptions.config as { multipart?: boolean }).multipart === true;
  const isCompressed = hasBody && /\b(gzip|deflate|compress|br|zstd)\b/i.test(headers['content-encoding'] ?? '');
  return is404 || ((!isForm || takesForms) && !isCompressed);
}

/** Fastify's rejections before any hook has run: invalid URL escapes, long parameters. */
function answer(error: FastifyError, request_id: string, reply: FastifyReply): void {
  const known = asServiceError(error);
  void reply
    .status(known.status)
    .headers({
      ...DEFAULT_HEADERS,
      ...known.headers,
      'X-Request-Id': request_id,
      'content-type': 'application/json; charset=utf-8',
    })
    .send(errorBody(known, request_id));
}
