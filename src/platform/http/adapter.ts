import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import { Server as NetServer, Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { HttpException } from '@nestjs/common';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../config/index.js';
import { isReplaced } from '../workers/index.js';
import { asServiceError, errorBody, errorOfStatus, failure, ServiceError } from '../errors/index.js';
import type { Mount } from './mount.js';
import { addDefaultHeaders, DEFAULT_HEADERS } from './response-headers.js';
import { refuseExpectation, refuseOnSocket, URL_LIMIT, watchAnswers } from './socket-refusals.js';
import { UpgradableRequest } from './upgrades.js';

/** Bytes of a JSON body. */
export const BODY_LIMIT = 64 * 1024;
const HEADERS_LIMIT = 16 * 1024;
const HEADERS_TIMEOUT = 10_000;
const REQUEST_TIMEOUT = 15_000;
/** Above the 60 s after which balancers usually drop an idle connection, so that they and not we end it. */
const KEEP_ALIVE_TIMEOUT = 72_000;
/** How long an answer may wait for a client that reads nothing of it. */
const SEND_TIMEOUT = 30_000;
/** Connections beyond these are closed as they come. An idle one costs some 10 KiB. */
const MAX_CONNECTIONS = 10_000;

/**
 * A shutdown with open connections, in milliseconds from its signal. A balancer that asks for health has seen in the
 * first of these times that this process is to be left alone, and one that does not learns it by a 503 in the second;
 * only then are connections closed, for a request that meets a closing one is lost.
 */
const SAYS_SO = 1000;
const REFUSES = 500;
const DRAIN_LIMIT = 4000;
const DRAIN_STEP = 50;

/** Nest's Fastify adapter with the body parser of {@link createAdapter} and a way to drain. */
export class ServiceAdapter extends FastifyAdapter {
  private draining: 'no' | 'replaced' | 'answering' | 'refusing' = 'no';
  private readonly sockets = new Set<Socket>();
  private readonly drainListeners: (() => void)[] = [];
  /** Where the service is within the server of another application. */
  mount?: Mount;

  /** Calls this once a shutdown begins, before anything of it. */
  onDrain(listener: () => void): void {
    this.drainListeners.push(listener);
  }

  /** Whether each answer is to be the last of its connection. */
  get isDraining(): boolean {
    return this.draining !== 'no';
  }
  /** Whether clients are to turn elsewhere: not where another worker listens on the same port. */
  get isLeaving(): boolean {
    return this.isDraining && this.draining !== 'replaced';
  }
  get isRefusing(): boolean {
    return this.draining === 'refusing';
  }

  /**
   * What Fastify and its plugins refuse, with the service's own words: theirs may quote the request. A file that must not be
   * read counts as none.
   */
  override mapException(error: unknown): unknown {
    const mapped = error instanceof ServiceError ? error : super.mapException(error);
    if (mapped === error || !(mapped instanceof HttpException)) return mapped;
    return errorOfStatus(mapped.getStatus() === 403 ? 404 : mapped.getStatus());
  }

  /** Nest would add parsers of its own, with other limits. */
  override registerParserMiddleware(): void {}

  /**
   * Nest awaits it before anything else of a shutdown. From then on every answer closes its connection; at first all is
   * answered as ever, then what comes anew is refused, and in the end each connection is let go of as it falls idle.
   */
  override async beforeClose(): Promise<void> {
    super.beforeClose();
    const { server } = this.getInstance();
    this.drain(isReplaced() ? 'replaced' : 'answering');
    // Not that of http, which would at once close connections on which a request may be on its way.
    if (this.draining === 'replaced') NetServer.prototype.close.call(server);
    setTimeout(() => server.closeAllConnections(), DRAIN_LIMIT).unref();
    if (this.sockets.size > 0) await delay(SAYS_SO);
    if (this.draining === 'answering') {
      this.draining = 'refusing';
      if (this.sockets.size > 0) await delay(REFUSES);
    }
    if (!server.listening && this.sockets.size === 0) return;
    const step = setInterval(() => this.closeIdle(server), DRAIN_STEP).unref();
    server.once('close', () => clearInterval(step));
  }

  /** From now on each answer is the last of its connection, and the service is not ready. Once. */
  drain(how: 'replaced' | 'answering' = 'answering'): void {
    if (this.isDraining) return;
    this.draining = how;
    for (const listener of this.drainListeners) listener();
  }

  /** @internal */
  watch(server: Server): void {
    server.on('connection', (socket: Socket) => {
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
    });
  }

  /** To Node, a connection on which nothing has ever come is not idle but about to send. */
  private closeIdle(server: Server): void {
    server.closeIdleConnections();
    for (const socket of this.sockets) if (socket.bytesRead === 0) socket.destroy();
  }
}

/** Fastify as this service needs it: its limits, its request ids, and the one error body for all that never reaches Nest. */
export function createAdapter(config: Config): ServiceAdapter {
  const adapter = new ServiceAdapter({
    logger: false,
    trustProxy: typeof config.trustProxy === 'number' ? trustHops(config.trustProxy) : config.trustProxy,
    bodyLimit: BODY_LIMIT,
    // What a name in a path may be is for its route to say; the URL has its limit.
    routerOptions: { maxParamLength: URL_LIMIT },
    requestTimeout: REQUEST_TIMEOUT,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    onProtoPoisoning: 'remove',
    onConstructorPoisoning: 'remove',
    genReqId: () => randomUUID(),
    http: {
      IncomingMessage: UpgradableRequest,
      headersTimeout: HEADERS_TIMEOUT,
      maxHeaderSize: HEADERS_LIMIT,
      connectionsCheckingInterval: 1000,
      requireHostHeader: false,
    },
    frameworkErrors: (error: FastifyError, request: { id: string }, reply: unknown) =>
      answer(error, request.id, reply as FastifyReply),
    clientErrorHandler: refuseOnSocket as never,
  });
  const fastify = adapter.getInstance();
  fastify.server.maxConnections = MAX_CONNECTIONS;
  adapter.watch(fastify.server);
  watchAnswers(fastify.server);
  fastify.server.on('checkExpectation', refuseExpectation);
  // For `@RouteConfig({ bodyLimit })`: Nest hands on the configuration of a route, not its options.
  fastify.addHook('onRoute', (route) => {
    const { bodyLimit } = (route.config ?? {}) as { bodyLimit?: number };
    if (bodyLimit !== undefined) route.bodyLimit = bodyLimit;
  });
  fastify.addHook('onRequest', (request, reply, done) => {
    if (request.raw.url && request.raw.url.length > URL_LIMIT) return done(failure('uri_too_long'));
    if (request.raw.httpVersion === '1.1' && !request.headers.host) return done(failure('bad_request'));
    if (hasRepeatedHeader(request.raw.rawHeaders)) return done(failure('bad_request'));
    if (isForm(request.headers['content-type']) && !takesForms(request)) return done(failure('unsupported_media_type'));
    done(adapter.isRefusing ? failure('service_unavailable') : undefined);
  });
  // Not at the beginning: what answers before our hooks, such as CORS to a preflight, has an id too.
  fastify.addHook('onSend', (request, reply, _payload, done) => {
    reply.header('X-Request-Id', request.id);
    addDefaultHeaders(reply);
    // What a test injects has no socket, and would leave its timer behind.
    if (request.raw.socket instanceof Socket) reply.raw.setTimeout(SEND_TIMEOUT, () => reply.raw.destroy());
    if (adapter.isDraining) reply.header('Connection', 'close');
    done();
  });
  // An empty JSON body is a body that is absent; text is no body of ours, and Fastify would take it.
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
  return adapter;
}

/** Whether there are two of what another program on the way might read another one of than Node, which reads the first. */
function hasRepeatedHeader(rawHeaders: readonly string[]): boolean {
  let host = false;
  let authorization = false;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const { length } = rawHeaders[i]!;
    if (length !== 'host'.length && length !== 'authorization'.length) continue;
    const name = rawHeaders[i]!.toLowerCase();
    if (name === 'host') {
      if (host) return true;
      host = true;
    } else if (name === 'authorization') {
      if (authorization) return true;
      authorization = true;
    }
  }
  return false;
}

function isForm(type: string | undefined): boolean {
  return /^multipart\/form-data\b/i.test(type ?? '');
}

/** Only where a route says so: `@RouteConfig({ multipart: true })`. */
function takesForms({ is404, routeOptions }: FastifyRequest): boolean {
  return is404 || (routeOptions.config as { multipart?: boolean }).multipart === true;
}

function trustHops(hops: number) {
  return (_address: string, hop: number) => hop < hops;
}

/** Fastify's refusals before any hook has run: bad URL escapes, long parameters. */
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
