import { HttpException } from '@nestjs/common';
import { isDatabaseUnavailable } from '../database/index.js';
import { isError } from '../logging/index.js';
import type { ErrorBody } from './error-body.dto.js';
import { type ErrorDefinition, ERRORS } from './error.registry.js';
import { describeFailure, type ErrorName, failure } from './failure.js';
import { ServiceError } from './service-error.js';

export function errorBody({ status, code, message }: ServiceError, request_id: string): ErrorBody {
  return { result: 'failure', status, error: code, message, request_id };
}

/** The errors that HTTP layers (Fastify, Nest, Node) and modules can give by a status alone. */
const GENERAL = [
  'bad_request',
  'unauthorized',
  'not_found',
  'method_not_allowed',
  'not_acceptable',
  'request_timeout',
  'conflict',
  'payload_too_large',
  'uri_too_long',
  'unsupported_media_type',
  'range_not_satisfiable',
  'expectation_failed',
  'unprocessable',
  'rate_limited',
  'headers_too_large',
  'service_unavailable',
] as const satisfies ErrorName[];
const BY_STATUS = new Map<number, (typeof GENERAL)[number]>(GENERAL.map((name) => [ERRORS[name].status, name]));

/** The error of a status alone, with those headers that are always the same. */
export function errorOfStatus(given: number): ServiceError {
  const name = BY_STATUS.get(given) ?? (given >= 400 && given < 500 ? 'bad_request' : 'internal_error');
  const { status, code, message } = describeFailure(name);
  const { headers }: ErrorDefinition = ERRORS[name];
  return new ServiceError(status, code, message, typeof headers === 'object' ? headers : undefined);
}

/** Any error, from anywhere, as one with a code. What it does not know is an `internal_error`. */
export function asServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError)
    return error.status === 403 && error.code !== 'token_expired' ? failure('not_found') : error;
  if (error instanceof HttpException) return ofHttpException(error);
  if (!isError(error)) return failure('internal_error');
  const { code, statusCode } = error as Error & { code?: unknown; statusCode?: unknown };
  if (isDatabaseUnavailable(error)) return failure('service_unavailable');
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
