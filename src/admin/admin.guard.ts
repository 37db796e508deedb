import { hash, timingSafeEqual } from 'node:crypto';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { bearerToken } from '../auth/index.js';
import { ADMIN_NAME, ALL_PROJECTS } from 'avatar-chat-settings';
import { Config } from '../platform/config/index.js';
import { FailureLimit } from '../rate-limits/index.js';
import { failure } from '../platform/errors/index.js';
import { Operator, OPERATOR_ACCESS, type OperatorAccess, type OperatorRequest } from './operator.access.js';

const UNDECLARED: OperatorAccess = { allProjects: true };

/** Lets requests with an operator's key through, if its role and project allow the route. */
@Injectable()
export class AdminGuard implements CanActivate {
  private readonly keys: readonly { digest: Buffer; operator: Operator }[];

  constructor(
    { adminKey, adminKeys }: Config,
    private readonly failures: FailureLimit,
    private readonly reflector: Reflector,
  ) {
    const owner = { name: ADMIN_NAME, role: 'owner', project: ALL_PROJECTS } as const;
    const all = adminKey === undefined ? [] : [{ ...owner, key: adminKey }, ...adminKeys];
    this.keys = all.map(({ key, ...operator }) => ({ digest: digestOf(key), operator: new Operator(operator) }));
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<OperatorRequest>();
    const operator = this.operatorWith(bearerToken(request.headers.authorization));
    if (!operator) {
      await this.failures.count('admin', context);
      throw failure('invalid_admin_key');
    }
    const access = this.reflector.get<OperatorAccess | undefined>(OPERATOR_ACCESS, context.getHandler());
    operator.assertMay(access ?? UNDECLARED, request);
    request.operator = operator;
    return true;
  }

  private operatorWith(given: string | undefined): Operator | undefined {
    if (given === undefined) return undefined;
    const digest = digestOf(given);
    return this.keys.find((key) => timingSafeEqual(key.digest, digest))?.operator;
  }
}

/** Digests have equal lengths, so that a comparison takes constant time. */
function digestOf(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}
