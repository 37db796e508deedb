import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import {
  findTraceOf,
  holdTraces,
  isRecorded,
  isRecording,
  runInTrace,
  SERVER,
  setTraceOf,
  type Span,
  startSpan,
  type Trace,
  traceFrom,
} from 'avatar-chat-runtime';

const spans = new WeakMap<FastifyRequest, Span>();
const holds = new WeakMap<FastifyRequest, () => void>();
const READS = ['GET', 'HEAD', 'OPTIONS'];

/** A client's `X-Request-Id`: 1 to 128 visible ASCII characters. Undefined if there is none, or another text. */
export function givenRequestId({ 'x-request-id': given }: IncomingHttpHeaders): string | undefined {
  return typeof given === 'string' && /^[!-~]{1,128}$/.test(given) ? given : undefined;
}

/** For `@RouteConfig()`: what its handler calls logs nothing but errors. Requests take a fifth less processor time by it. */
export const BRIEF = { isBrief: true };

/** Runs each request in the trace of its `traceparent` header. */
export function traceRequests(fastify: FastifyInstance): void {
  const enter = (request: FastifyRequest, _reply: unknown, done: () => void): void => {
    if (holds.has(request)) runInTrace(traceOf(request), done);
    else done();
  };
  fastify.addHook('onRequest', (request, reply, done) => {
    const trace = traceOf(request);
    // Nothing goes on after the end of a brief one, nor of a read.
    if (!isBrief(request)) holds.set(request, holdTraces(READS.includes(request.method) ? 0 : undefined));
    else if (isRecorded(trace)) holds.set(request, holdTraces(0));
    enter(request, reply, done);
  });
  // A body is parsed by events of the connection, which belong to no request.
  fastify.addHook('preValidation', enter);
  fastify.addHook('onResponse', (request, { statusCode }, done) => {
    endSpan(request, statusCode);
    releaseTraces(request);
    done();
  });
}

/** From now on nothing follows the trace of a request: an open stream would slow down each promise of the process. */
export const releaseTraces = (request: FastifyRequest): void => holds.get(request)?.();

const isBrief = ({ routeOptions }: FastifyRequest): boolean =>
  (routeOptions.config as { isBrief?: boolean } | undefined)?.isBrief === true;

/** Ends the span of a request, which for an upgraded connection is that of its handshake. */
export function endSpan(request: FastifyRequest, status: number): void {
  spans.get(request)?.end({ 'http.response.status_code': status }, status < 500 ? undefined : `${status}`);
}

/** The trace of a request: the client's, or its own. */
export function traceOf(request: FastifyRequest): Trace {
  const known = findTraceOf(request);
  if (known) return known;
  const caller = traceFrom(request.headers.traceparent);
  const span = isRecording() ? startRequestSpan(request, caller) : undefined;
  if (span) spans.set(request, span);
  const trace = span?.trace ?? caller;
  setTraceOf(request, trace);
  return trace;
}

function startRequestSpan({ method, routeOptions }: FastifyRequest, caller: Trace): Span | undefined {
  // Never the URL: it may have a user or a signature.
  const route = routeOptions.url ?? 'none';
  return startSpan(`${method} ${route}`, SERVER, { 'http.request.method': method, 'http.route': route }, caller);
}
