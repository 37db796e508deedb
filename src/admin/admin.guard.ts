import { hash, timingSafeEqual } from 'node:crypto';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { bearerToken } from '../auth/index.js';
import { Config } from '../platform/config/index.js';
import { FailureLimit } from '../rate-limits/index.js';
import { failure } from '../platform/errors/index.js';

/** Lets requests with the `ADMIN_KEY` through. */
@Injectable()
export class AdminGuard implements CanActivate {
  constructor(
    private readonly config: Config,
    private readonly failures: FailureLimit,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const given = bearerToken(http.getRequest<FastifyRequest>().headers.authorization);
    const { adminKey } = this.config;
    if (given !== undefined && adminKey !== undefined && isSame(given, adminKey)) return true;
    await this.failures.count('admin', context);
    throw failure('invalid_admin_key');
  }
}

/** Digests have equal lengths, so the comparison takes constant time. */
function isSame(given: string, key: string): boolean {
  return timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', key, 'buffer'));
}
