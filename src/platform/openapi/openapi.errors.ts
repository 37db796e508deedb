import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import { describeFailure, type ErrorName, type MessageValues } from 'avatar-chat-errors';
import { ErrorBody, errorOfStatus } from '../errors/index.js';

/** An error of the service by name, with the values for its text, if any. */
export type DocumentedError = {
  [N in ErrorName]: MessageValues<N> extends [] ? N : readonly [name: N, ...values: MessageValues<N>];
}[ErrorName];

/** Error codes of a module by status; a code with its own text is given as `[code, message]`. */
type ModuleErrors = Readonly<Record<number, readonly (string | readonly [code: string, message: string])[]>>;

type ShownError = Pick<ErrorBody, 'status' | 'error' | 'message'>;

/** Documents the errors of a handler, each with an example. Errors common to all routes are added automatically. */
export function ApiErrors(...errors: readonly (DocumentedError | ModuleErrors)[]): MethodDecorator & ClassDecorator {
  return applyDecorators(
    ApiExtraModels(ErrorBody),
    ...errorResponses(errors).map(([status, response]) => ApiResponse({ status, ...response })),
  );
}

/** The OpenAPI responses of errors, by status. */
export function errorResponses(errors: readonly (DocumentedError | ModuleErrors)[]) {
  const byStatus = new Map<number, ShownError[]>();
  for (const shown of errors.flatMap(show)) byStatus.set(shown.status, [...(byStatus.get(shown.status) ?? []), shown]);
  return [...byStatus].map(([status, shown]) => [status, errorResponse(shown)] as const);
}

function show(error: DocumentedError | ModuleErrors): ShownError[] {
  if (typeof error === 'string' || Array.isArray(error)) {
    const [name, ...values] = [error].flat() as [ErrorName, ...[]];
    const { code, ...shown } = describeFailure(name, ...values);
    return [{ ...shown, error: code }];
  }
  return Object.entries(error as ModuleErrors).flatMap(([status, entries]) =>
    entries.map((entry) => {
      const [code, message] = typeof entry === 'string' ? [entry, errorOfStatus(Number(status)).message] : entry;
      return { status: Number(status), error: code, message };
    }),
  );
}

function errorResponse(errors: readonly ShownError[]) {
  const examples = errors.map(({ status, error, message }) => {
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
    description: errors.map(({ error }) => `\`${error}\``).join(', '),
    headers: { 'X-Request-Id': { description: 'Equals request_id.', schema: { type: 'string' as const } } },
    content: {
      'application/json': { schema: { $ref: getSchemaPath(ErrorBody) }, examples: Object.fromEntries(examples) },
    },
  };
}
