import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { catchError, concatMap, type Observable } from 'rxjs';
import { AuditLog } from '../audit/index.js';
import { USER_ID } from '../auth/index.js';
import { PROJECT_ID } from 'avatar-chat-catalogue';
import { Clock } from '../platform/config/index.js';
import { asServiceError } from '../platform/errors/index.js';
import { fieldOf, OPERATOR_ACCESS, type OperatorAccess, type OperatorRequest } from './operator.access.js';

/** Maximum length of a text in the details of an entry. */
const MAX_DETAIL = 200;

/** Records the changes of operators in the audit log. */
@Injectable()
export class AuditInterceptor implements NestInterceptor {
  constructor(
    private readonly log: AuditLog,
    private readonly reflector: Reflector,
    private readonly clock: Clock,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const access = this.reflector.get<OperatorAccess | undefined>(OPERATOR_ACCESS, context.getHandler());
    const request = context.switchToHttp().getRequest<OperatorRequest>();
    if (!access?.action || !request.operator) return next.handle();
    const began = this.clock.now();
    const removeEntry = await this.log.record({
      key: request.operator.name,
      action: access.action,
      ...subjectOf(access, request),
      ...detailsOf(access, request),
    });
    return next.handle().pipe(
      concatMap(async (result: unknown) => {
        if (access.isChange?.(result as never, began) === false) await removeEntry().catch(() => undefined);
        return result;
      }),
      catchError(async (error: unknown) => {
        // After an internal error, a part of the change may have been made.
        if (asServiceError(error).status < 500) await removeEntry();
        throw error;
      }),
    );
  }
}

/** The project, and the user, as the route reads them. They are not checked yet. */
function subjectOf({ project }: OperatorAccess, { params, ...request }: OperatorRequest) {
  const part = project && project !== 'listed' && project !== 'params' ? request[project] : params;
  const project_id = fieldOf(part, 'project_id');
  const user_id = fieldOf(params, 'user_id') ?? fieldOf(part, 'user_id');
  return {
    ...(isMatch(PROJECT_ID, project_id) ? { project_id } : {}),
    ...(isMatch(USER_ID, user_id) ? { user_id } : {}),
  };
}

function detailsOf({ details: names = [] }: OperatorAccess, { params, body }: OperatorRequest) {
  const details: Record<string, unknown> = {};
  for (const name of names) {
    const value = fieldOf(params, name) ?? fieldOf(body, name);
    if (typeof value === 'string') details[name] = value.slice(0, MAX_DETAIL);
    else if (typeof value === 'boolean' || Number.isFinite(value)) details[name] = value;
  }
  return Object.keys(details).length > 0 ? { details } : {};
}

function isMatch(pattern: RegExp, value: unknown): value is string {
  return typeof value === 'string' && pattern.test(value);
}
