import { HttpException } from '@nestjs/common';
import { isDatabaseAway } from '../database/index.js';
import type { ErrorBody } from './error-body.dto.js';
import { ServiceError, serviceUnavailable } from './service-error.js';

export function errorBody({ status, code, message }: ServiceError, request_id: string): ErrorBody {
  return { result: 'failure', status, error: code, message, request_id };
}

/** What the HTTP layers (Fastify, Nest, Node) say by a status alone. */
const BY_STATUS: Readonly<Record<number, readonly [code: string, message: string]>> = {
  400: ['bad_request', 'The request is not well-formed HTTP.'],
  401: ['invalid_token', 'The request needs a valid bearer token.'],
  404: ['not_found', 'There is nothing at this path.'],
  405: ['method_not_allowed', 'This path does not take this method. The Allow header lists those that it takes.'],
  406: ['not_acceptable', 'The answer is not to be had in the form that the Accept header asks for.'],
  408: ['request_timeout', 'The request took too long to arrive.'],
  409: ['conflict', 'The request conflicts with what is stored.'],
  413: ['payload_too_large', 'The body is larger than the service takes.'],
  414: ['uri_too_long', 'The URL is too long.'],
  415: ['unsupported_media_type', 'The body must be JSON, sent with Content-Type: application/json.'],
  416: ['range_not_satisfiable', 'The requested range lies outside the file.'],
  417: ['expectation_failed', 'The only expectation that the service meets is 100-continue.'],
  422: ['unprocessable', 'The request is well-formed but cannot be carried out.'],
  429: ['rate_limited', 'Too many requests. Retry-After says in how many seconds the next may come.'],
  431: ['headers_too_large', 'The request headers are larger than the service takes.'],
};

export function errorOfStatus(status: number, headers?: Record<string, string>): ServiceError {
  if (status === 503) return serviceUnavailable();
  const known = BY_STATUS[status];
  if (known) return new ServiceError(status, known[0], known[1], headers);
  return status >= 400 && status < 500
    ? errorOfStatus(400)
    : new ServiceError(500, 'internal_error', 'Something went wrong on our side. The log holds the details.');
}

/** Any error, from anywhere, as one with a code. What it does not know is an `internal_error`. */
export function asServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError)
    return error.status === 403 && error.code !== 'token_expired' ? errorOfStatus(404) : error;
  if (error instanceof HttpException) return ofHttpException(error);
  if (!(error instanceof Error)) return errorOfStatus(500);
  const { code, statusCode } = error as Error & { code?: unknown; statusCode?: unknown };
  if (isDatabaseAway(error)) return serviceUnavailable();
  return errorOfStatus(
    typeof statusCode === 'number' && typeof code === 'string' && /^FST_/.test(code) ? statusCode : 500,
  );
}

/**
 * A Nest exception of a module: its `error` is taken as the code where it looks like one, with its `message`. Any other
 * text is dropped, for Nest's own echoes the URL. A 403 would make clients renew a good token, so it becomes a 404.
 */
function ofHttpException(exception: HttpException): ServiceError {
  const body = exception.getResponse();
  const { error, message } = typeof body === 'object' ? (body as { error?: unknown; message?: unknown }) : {};
  const status = exception.getStatus() === 403 ? 404 : exception.getStatus();
  if (status !== exception.getStatus() || typeof error !== 'string' || !/^[a-z][a-z0-9_]{0,63}$/.test(error)) {
    return errorOfStatus(status);
  }
  return new ServiceError(status, error, typeof message === 'string' ? message : errorOfStatus(status).message);
}
