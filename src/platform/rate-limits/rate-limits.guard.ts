import { type ExecutionContext, Inject, Injectable, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import {
  InjectThrottlerOptions,
  InjectThrottlerStorage,
  normalizeIp,
  ThrottlerGuard,
  type ThrottlerLimitDetail,
  type ThrottlerModuleOptions,
  type ThrottlerStorage,
} from '@nestjs/throttler';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CatalogueService } from '../../catalogue/index.js';
import { Config, type RateLimits } from '../config/index.js';
import { failure } from '../errors/index.js';

/** What is counted: tokens by address; turns and reads by user. */
export type LimitedKind = Exclude<keyof RateLimits, 'enabled' | 'openTurns' | 'uploads'>;

const MINUTE = 60_000;
const LIMITED_KIND = 'limited-kind';
/** Characters. A trusted proxy may forward what is no address. */
const MAX_ADDRESS = 64;

/** Counts a handler's requests as of this kind. What needs a token and says nothing counts as reads. */
export const CountAs = (kind: LimitedKind) => SetMetadata(LIMITED_KIND, kind);

/** Refuses with 429 what exceeds the limit of its kind. Runs after the guard of tokens, which says whose a request is. */
@Injectable()
export class LimitsGuard extends ThrottlerGuard {
  protected override headerPrefix = 'RateLimit';

  constructor(
    @InjectThrottlerOptions() options: ThrottlerModuleOptions,
    @InjectThrottlerStorage() storage: ThrottlerStorage,
    reflector: Reflector,
    @Inject(Config) private readonly config: Config,
    @Inject(CatalogueService) private readonly catalogue: CatalogueService,
  ) {
    super(options, storage, reflector);
  }

  override canActivate(context: ExecutionContext): Promise<boolean> {
    // A plain true where nothing is counted: a promise of it would cost each request a turn of the event loop's queue.
    if (!this.config.rateLimits.enabled || kindOf(context) === undefined) return true as never;
    const project = kindOf(context) === 'turns' ? userOf(context)?.project_id : undefined;
    if (project === undefined || this.catalogue.knownProject(project)?.token_policy !== 'open')
      return super.canActivate(context);
    return super.canActivate(context).then(() => this.countAddress(context));
  }

  /** In an open project anyone can be as many users as they like, so that the limit of each bounds nothing. */
  private async countAddress(context: ExecutionContext): Promise<true> {
    const { openTurns } = this.config.rateLimits;
    const subject = `open-turns ${addressOf(context)}`;
    const counted = await this.storageService.increment(subject, MINUTE, openTurns, MINUTE, 'open-turns');
    if (counted.isBlocked) throw failure('rate_limited', Math.max(1, counted.timeToBlockExpire));
    return true;
  }

  protected override async throwThrottlingException(
    context: ExecutionContext,
    detail: ThrottlerLimitDetail,
  ): Promise<void> {
    const seconds = Math.max(1, detail.timeToBlockExpire);
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    reply.headers({ 'RateLimit-Limit': detail.limit, 'RateLimit-Remaining': 0, 'RateLimit-Reset': seconds });
    throw failure('rate_limited', seconds);
  }
}

/** The kind of a request, or undefined for what is not limited: open routes that do not say otherwise. */
export function kindOf(context: ExecutionContext): LimitedKind | undefined {
  const declared = Reflect.getMetadata(LIMITED_KIND, context.getHandler()) as LimitedKind | undefined;
  return declared ?? (userOf(context) ? 'reads' : undefined);
}

/** Under what a request is counted: a user, or an address. */
export function subjectOf(context: ExecutionContext): string {
  const owner = userOf(context);
  if (owner) return `${owner.project_id}/${owner.user_id}`;
  return addressOf(context);
}

/** Whoever has one IPv6 address has a network of 64 bits of them. */
function addressOf(context: ExecutionContext): string {
  return normalizeIp(context.switchToHttp().getRequest<FastifyRequest>().ip).slice(0, MAX_ADDRESS);
}

function userOf(context: ExecutionContext): { project_id: string; user_id: string } | undefined {
  return context.switchToHttp().getRequest<{ user?: { project_id: string; user_id: string } }>().user;
}
