import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ErrorBody } from './error-body.dto.js';
import { asServiceError, errorBody, isForbidden } from './error-body.js';
import { findTraceOf } from 'avatar-chat-runtime';
import { failure } from './failure.js';
import { describeError, type Logger } from '../logging/index.js';
import type { ServiceError } from './service-error.js';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** Converts every error to a response, whoever threw it. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(private readonly logger: Logger) {}

  catch(exception: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.answer(exception, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
  }

  /** Sends the common error body, unless the response has started. */
  answer(exception: unknown, request: FastifyRequest, reply: FastifyReply): void {
    if (reply.sent || reply.raw.headersSent) return;
    const left = hasLeft(request, exception);
    const error = left
      ? failure('bad_request')
      : request.is404
        ? this.unrouted(request, exception)
        : asServiceError(exception);
    if (left) this.logger.debug({ request_id: request.id }, 'the client closed the connection');
    else this.report(error, exception, request.id, findTraceOf(request)?.id);
    void reply
      .status(error.status)
      .headers(error.headers)
      .header('content-type', 'application/json; charset=utf-8')
      .send(errorBody(error, request.id));
  }

  /** The error body for a failure after the response has started. */
  describe(exception: unknown, request_id: string): ErrorBody {
    const error = asServiceError(exception);
    this.report(error, exception, request_id);
    return errorBody(error, request_id);
  }

  /** @param trace_id by default, of the trace that is in progress */
  private report(error: ServiceError, exception: unknown, request_id: string, trace_id?: string): void {
    const ids = { request_id, ...(trace_id === undefined ? {} : { trace_id }) };
    if (error.status === 500) this.logger.error({ ...ids, ...describeError(exception) }, 'request failed');
    if (isForbidden(exception))
      this.logger.warn(ids, 'a module answered 403, which means an expired token alone: sent as 401 forbidden');
  }

  /** 405 if the path has a route for another method, 404 otherwise. */
  private unrouted(request: FastifyRequest, exception: unknown): ServiceError {
    const thrown = asServiceError(exception);
    // Fastify rejects a QUERY without a content type, whether or not it has a route for it.
    const untyped = thrown.status === 400 && request.method === 'QUERY';
    if (thrown.status !== 404 && !untyped) return thrown;
    const url = request.url.split('?', 1)[0] ?? '';
    const allowed = METHODS.filter((method) => request.server.findRoute({ method, url, constraints: {} }));
    const methodIsAtFault = allowed.length > 0 && !allowed.some((method) => method === request.method);
    return methodIsAtFault ? failure('method_not_allowed', allowed) : failure('not_found');
  }
}

/**
 * A request whose client closed the connection before it was complete: nobody gets the response, and it is not a fault
 * of the service.
 */
function hasLeft({ raw }: FastifyRequest, exception: unknown): boolean {
  const code = (exception as { code?: unknown } | undefined)?.code;
  return raw.socket?.destroyed === true && (code === 'ECONNRESET' || code === 'ERR_STREAM_PREMATURE_CLOSE');
}
