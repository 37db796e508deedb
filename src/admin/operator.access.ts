import { applyDecorators, createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { PROJECT_ID } from 'avatar-chat-catalogue';
import { type AdminKey, ALL_PROJECTS, type OperatorRole } from 'avatar-chat-settings';
import { failure } from '../platform/errors/index.js';

/** What a route of operators needs. Owners of its project have every route. */
export interface OperatorAccess {
  /** The other roles that may use it. Omitted: none. */
  readonly roles?: readonly OperatorRole[];
  /** Whether it concerns more than the projects of a limited key. */
  readonly allProjects?: boolean;
  /** The part of the request that names the project. `listed`: its handler leaves out other projects. */
  readonly project?: 'params' | 'query' | 'body' | 'listed';
  /** The name of a change in the audit log. */
  readonly action?: string;
  /** Path parameters and fields of the body that the audit log has too. No text of a message. */
  readonly details?: readonly string[];
  /** Whether a result shows a change since a time, in Unix milliseconds. Omitted: every success is one. */
  readonly isChange?: (result: never, since: number) => boolean;
}

export const OPERATOR_ACCESS = Symbol('operator access');

/** Declares who may use a route of operators. Without it, only owners of all projects may. */
export const AllowOperators = (access: OperatorAccess) => applyDecorators(SetMetadata(OPERATOR_ACCESS, access));

/** A request of an operator. */
export type OperatorRequest = FastifyRequest & { operator?: Operator };

/** An operator: the owner of a key, without the key. */
export class Operator {
  readonly name: string;
  readonly role: OperatorRole;
  private readonly project: string;

  constructor({ name, role, project }: Omit<AdminKey, 'key'>) {
    this.name = name;
    this.role = role;
    this.project = project;
  }

  /** The only project of a limited key. */
  get onlyProject(): string | undefined {
    return this.project === ALL_PROJECTS ? undefined : this.project;
  }

  /** @throws ServiceError `forbidden`, `invalid_project_id` */
  assertMay(access: OperatorAccess, request: FastifyRequest): void {
    const { roles = [], allProjects = false, project } = access;
    const { onlyProject } = this;
    const mayUse = this.role === 'owner' || roles.includes(this.role);
    if (!mayUse || (onlyProject !== undefined && allProjects)) throw failure('forbidden_to_key');
    if (onlyProject === undefined || project === 'listed') return;
    const named = project && fieldOf(request[project], 'project_id');
    if (typeof named !== 'string' || !PROJECT_ID.test(named)) throw failure('invalid_project_id');
    if (named !== onlyProject) throw failure('forbidden_to_key');
  }
}

/** A field of a parsed part of a request. */
export function fieldOf(part: unknown, name: string): unknown {
  return typeof part === 'object' && part !== null && Object.hasOwn(part, name)
    ? (part as Record<string, unknown>)[name]
    : undefined;
}

/** The {@link Operator} of a request. */
export const CurrentOperator = createParamDecorator(
  (_: unknown, context: ExecutionContext): Operator =>
    context.switchToHttp().getRequest<{ operator: Operator }>().operator,
);
