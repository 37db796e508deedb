import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import { ErrorBody, errorOfStatus } from '../errors/index.js';

/** Codes by status; a code with a text of its own is given as `[code, message]`. */
export type DocumentedErrors = Readonly<Record<number, readonly (string | readonly [code: string, message: string])[]>>;

/** Documents which errors a handler can answer, each with an example. What every route can answer is added for it. */
export function ApiErrors(errors: DocumentedErrors): MethodDecorator & ClassDecorator {
  const responses = Object.entries(errors).map(([status, codes]) =>
    ApiResponse({ status: Number(status), ...errorResponse(Number(status), codes) }),
  );
  return applyDecorators(ApiExtraModels(ErrorBody), ...responses);
}

/** The OpenAPI response of some codes of one status. */
export function errorResponse(status: number, codes: DocumentedErrors[number]) {
  const examples = codes.map((entry) => {
    const [error, message] = typeof entry === 'string' ? [entry, errorOfStatus(status).message] : entry;
    const value: ErrorBody = {
      result: 'failure',
      status,
      error,
      message,
      request_id: '7b0e7c1e-5f4b-4a53-9d0c-0f6f8a2f7c11',
    };
    return [error, { value }] as const;
  });
  return {
    description: codes.map((entry) => `\`${typeof entry === 'string' ? entry : entry[0]}\``).join(', '),
    headers: { 'X-Request-Id': { description: 'Equals request_id.', schema: { type: 'string' as const } } },
    content: {
      'application/json': { schema: { $ref: getSchemaPath(ErrorBody) }, examples: Object.fromEntries(examples) },
    },
  };
}
