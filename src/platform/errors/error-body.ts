import { STATUS_CODES } from 'node:http';
import { HttpException } from '@nestjs/common';
import { isDatabaseUnavailable } from '../database/index.js';
import { isError } from '../logging/index.js';
import type { ErrorBody } from './error-body.dto.js';
import { type ErrorDefinition, ERRORS, describeFailure, type ErrorName } from 'avatar-chat-errors';
import { failure } from './failure.js';
import { ServiceError } from './service-error.js';

export function errorBody({ status, code, message }: ServiceError, request_id: string): ErrorBody {
  return { result: 'failure', status, error: code, message, request_id };
}

/** Errors that HTTP layers (Fastify, Nest, Node) and modules can raise by status alone. */
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

/** The error of a status, with its constant headers. */
export function errorOfStatus(given: number): ServiceError {
  const name = BY_STATUS.get(given) ?? (given >= 400 && given < 500 ? 'bad_request' : 'internal_error');
  const { status, code, message } = describeFailure(name);
  const { headers }: ErrorDefinition = ERRORS[name];
  return new ServiceError(status, code, message, typeof headers === 'object' ? headers : undefined);
}

/** Maps any error to one with a code. Unknown ones become `internal_error`. */
export function asServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return isForbidden(error) ? forbidden(error.message) : error;
  if (isHttpException(error)) return ofHttpException(error);
  if (!isError(error)) return failure('internal_error');
  const { code, statusCode } = error as Error & { code?: unknown; statusCode?: unknown };
  if (isDatabaseUnavailable(error)) return failure('service_unavailable');
  return errorOfStatus(
    typeof statusCode === 'number' && typeof code === 'string' && /^FST_/.test(code) ? statusCode : 500,
  );
}

/**
 * Whether a module threw a 403, which would make clients renew a valid token: only an expired token has that status.
 */
export function isForbidden(error: unknown): boolean {
  if (error instanceof ServiceError) return error.status === 403 && error.code !== 'token_expired';
  return isHttpException(error) && error.getStatus() === 403;
}

function forbidden(message: string): ServiceError {
  const { status, code, headers } = failure('forbidden');
  return new ServiceError(status, code, message, headers);
}

/** Checked by its methods, to include exceptions of another copy of Nest. */
function isHttpException(error: unknown): error is HttpException {
  return (
    error instanceof HttpException ||
    (isError(error) &&
      typeof (error as Partial<HttpException>).getStatus === 'function' &&
      typeof (error as Partial<HttpException>).getResponse === 'function')
  );
}

/**
 * A module's Nest exception keeps its status and message. Its code is its own `error`, or derived from the status text.
 */
function ofHttpException(exception: HttpException): ServiceError {
  const status = exception.getStatus();
  const body = exception.getResponse();
  const { error, message } =
    typeof body === 'object' && body !== null ? (body as { error?: unknown; message?: unknown }) : { message: body };
  const text =
    [message]
      .flat()
      .filter((part) => typeof part === 'string' && part !== '')
      .join('; ') || exception.message;
  if (status === 403) return forbidden(text);
  if (!(status >= 400 && status <= 599)) return failure('internal_error');
  const known = errorOfStatus(status);
  const headers = known.status === status ? known.headers : {};
  return new ServiceError(status, isCode(error) ? error : (codeOfStatus(status) ?? known.code), text, headers);
}

function isCode(error: unknown): error is string {
  return typeof error === 'string' && /^[a-z][a-z0-9_]*$/.test(error);
}

/** For example `im_a_teapot` for 418; undefined for an unknown status. */
function codeOfStatus(status: number): string | undefined {
  const text = STATUS_CODES[status]?.toLowerCase().replaceAll("'", '');
  return text?.replace(/[^a-z0-9]+/g, '_');
}
