import { type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AuthGuard } from '@nestjs/passport';
import type { FastifyRequest } from 'fastify';
import { failure } from '../platform/errors/index.js';
import { IS_PUBLIC } from './auth.decorators.js';
import { JwtStrategy } from './jwt.strategy.js';
import type { Owner } from './owner.js';

/** The guard of every route; `@Public()` is the only way past it. */
@Injectable()
export class JwtGuard extends AuthGuard() {
  constructor(
    private readonly reflector: Reflector,
    private readonly strategy: JwtStrategy,
  ) {
    super({ defaultStrategy: strategy.strategy });
  }

  override canActivate(context: ExecutionContext) {
    if (this.reflector.getAllAndOverride<boolean>(IS_PUBLIC, [context.getHandler(), context.getClass()])) return true;
    const request = context.switchToHttp().getRequest<FastifyRequest & { user?: Owner }>();
    request.user = this.strategy.recall(request);
    return request.user ? true : super.canActivate(context);
  }

  /** Whatever the strategy refused without saying why is a token that is not valid. */
  override handleRequest<TUser>(error: unknown, owner: TUser | false): TUser {
    if (error) throw error;
    if (owner) return owner;
    throw failure('invalid_token');
  }
}
