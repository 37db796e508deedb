import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { runInTrace, type Trace, traceFrom } from '../logging/index.js';

const traces = new WeakMap<FastifyRequest, Trace>();

/** A client's `X-Request-Id`: 1 to 128 visible ASCII characters. Undefined if there is none, or another text. */
export function givenRequestId({ 'x-request-id': given }: IncomingHttpHeaders): string | undefined {
  return typeof given === 'string' && /^[!-~]{1,128}$/.test(given) ? given : undefined;
}

/** Runs each request in the trace of its `traceparent` header. */
export function traceRequests(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, _reply, done) => runInTrace(traceOf(request), done));
  // A body is parsed by events of the connection, which belong to no request.
  fastify.addHook('preValidation', (request, _reply, done) => runInTrace(traceOf(request), done));
}

/** The trace of a request: the client's, or its own. */
export function traceOf(request: FastifyRequest): Trace {
  const known = traces.get(request);
  if (known) return known;
  const trace = traceFrom(request.headers.traceparent);
  traces.set(request, trace);
  return trace;
}
