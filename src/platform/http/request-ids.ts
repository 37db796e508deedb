import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { runInTrace, SERVER, type Span, startSpan, type Trace, traceFrom } from 'avatar-chat-runtime';

const traces = new WeakMap<FastifyRequest, Trace>();
const spans = new WeakMap<FastifyRequest, Span>();

/** A client's `X-Request-Id`: 1 to 128 visible ASCII characters. Undefined if there is none, or another text. */
export function givenRequestId({ 'x-request-id': given }: IncomingHttpHeaders): string | undefined {
  return typeof given === 'string' && /^[!-~]{1,128}$/.test(given) ? given : undefined;
}

/** Runs each request in the trace of its `traceparent` header. */
export function traceRequests(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, _reply, done) => runInTrace(traceOf(request), done));
  // A body is parsed by events of the connection, which belong to no request.
  fastify.addHook('preValidation', (request, _reply, done) => runInTrace(traceOf(request), done));
  fastify.addHook('onResponse', (request, { statusCode }, done) => {
    endSpan(request, statusCode);
    done();
  });
}

/** Ends the span of a request, which for an upgraded connection is that of its handshake. */
export function endSpan(request: FastifyRequest, status: number): void {
  spans.get(request)?.end({ 'http.response.status_code': status }, status < 500 ? undefined : `${status}`);
}

/** The trace of a request: the client's, or its own. */
export function traceOf(request: FastifyRequest): Trace {
  const known = traces.get(request);
  if (known) return known;
  const caller = traceFrom(request.headers.traceparent);
  const { method } = request;
  // Never the URL: it may have a user or a signature.
  const route = request.routeOptions.url ?? 'none';
  const attributes = { 'http.request.method': method, 'http.route': route };
  const span = startSpan(`${method} ${route}`, SERVER, attributes, caller);
  if (span) spans.set(request, span);
  const trace = span?.trace ?? caller;
  traces.set(request, trace);
  return trace;
}
