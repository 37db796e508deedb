import { type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AuthGuard } from '@nestjs/passport';
import type { FastifyRequest } from 'fastify';
import { invalidToken, missingToken } from './auth.errors.js';
import { IS_PUBLIC } from './auth.decorators.js';
import { JwtStrategy } from './jwt.strategy.js';
import { bearerToken } from './token.format.js';

/** The guard of every route; `@Public()` is the only way past it. */
@Injectable()
export class JwtGuard extends AuthGuard() {
  constructor(
    private readonly reflector: Reflector,
    { strategy }: JwtStrategy,
  ) {
    super({ defaultStrategy: strategy });
  }

  override canActivate(context: ExecutionContext) {
    return (
      this.reflector.getAllAndOverride<boolean>(IS_PUBLIC, [context.getHandler(), context.getClass()]) ||
      super.canActivate(context)
    );
  }

  override handleRequest<TUser>(
    error: unknown,
    owner: TUser | false,
    _info: unknown,
    context: ExecutionContext,
  ): TUser {
    if (error) throw error;
    if (owner) return owner;
    const { authorization } = context.switchToHttp().getRequest<FastifyRequest>().headers;
    throw bearerToken(authorization) === undefined ? missingToken() : invalidToken();
  }
}
