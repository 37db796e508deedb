import { type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AuthGuard } from '@nestjs/passport';
import type { FastifyRequest } from 'fastify';
import { failure } from '../platform/errors/index.js';
import { ACCEPTS_CLIENT_SECRETS, ClientSecrets } from './client.secrets.js';
import { IS_PUBLIC } from './public.js';
import { JwtStrategy } from './jwt.strategy.js';
import type { Owner } from './owner.js';
import { bearerToken } from './token.format.js';
import { TokenVerification } from './token.verification.js';

type UserRequest = FastifyRequest & { user?: Owner | undefined };

/** The guard of every route; `@Public()` is the only way past it. */
@Injectable()
export class JwtGuard extends AuthGuard() {
  constructor(
    private readonly reflector: Reflector,
    private readonly strategy: JwtStrategy,
    private readonly tokens: TokenVerification,
    private readonly secrets: ClientSecrets,
  ) {
    super({ defaultStrategy: strategy.strategy });
  }

  override canActivate(context: ExecutionContext) {
    if (this.reflector.getAllAndOverride<boolean>(IS_PUBLIC, [context.getHandler(), context.getClass()])) return true;
    // It reads tokens of requests only.
    if (context.getType() !== 'http') throw failure('missing_token');
    const request = context.switchToHttp().getRequest<UserRequest>();
    request.user = this.strategy.recall(request);
    if (request.user) return true;
    if (this.reflector.get<boolean>(ACCEPTS_CLIENT_SECRETS, context.getHandler()))
      return this.verifySecret(context, request);
    return this.verifyToken(context, request);
  }

  private async verifySecret(context: ExecutionContext, request: UserRequest): Promise<boolean> {
    request.user = await this.secrets.ownerOf(request, bearerToken(request.headers.authorization));
    return request.user ? true : (this.verifyToken(context, request) as Promise<boolean>);
  }

  private verifyToken(context: ExecutionContext, request: UserRequest) {
    const provided = this.tokens.verifyRequest(request);
    if (!provided) return super.canActivate(context);
    return provided.then((owner) => {
      request.user = owner;
      return true;
    });
  }

  /** If the strategy rejected it without a reason, the token is invalid. */
  override handleRequest<TUser>(error: unknown, owner: TUser | false): TUser {
    if (error) throw error;
    if (owner) return owner;
    throw failure('invalid_token');
  }
}
