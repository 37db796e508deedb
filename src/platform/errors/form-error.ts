import type { FastifyRequest } from 'fastify';
import { failure } from './failure.js';

/** By message, since the form parser's errors have no code. */
// "The needle" is the boundary: the parser accepts 1 to 252 characters.
const MALFORMED_FORM =
  /^(Multipart: |Malformed |Unexpected end of |Part terminated early|premature close|The needle cannot )/i;

/** Our error for an invalid form, in place of the parser's. The rest is drained, or it would block the next request. */
export function formError(error: unknown, { raw }: FastifyRequest): unknown {
  raw.unpipe();
  raw.resume();
  if (!(error instanceof Error)) return error;
  const { code } = error as Error & { code?: unknown };
  if (code === 'FST_PROTO_VIOLATION') return failure('forbidden_field');
  return error instanceof SyntaxError || code === 'FST_INVALID_JSON_FIELD_ERROR' || MALFORMED_FORM.test(error.message)
    ? failure('malformed_form')
    : error;
}
