import { type ExecutionContext, Inject, Injectable, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import {
  InjectThrottlerOptions,
  InjectThrottlerStorage,
  ThrottlerGuard,
  type ThrottlerLimitDetail,
  type ThrottlerModuleOptions,
  type ThrottlerStorage,
} from '@nestjs/throttler';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CatalogueService } from '../catalogue/index.js';
import { type RateLimits } from 'avatar-chat-settings';
import { Config } from '../platform/config/index.js';
import { limitReached } from '../platform/limits/index.js';
import { trackedAddress, TurnCounts } from './rate-limits.turns.js';

/** Kinds of limits: tokens by address; turns and reads by user. */
export type LimitedKind = Exclude<keyof RateLimits, 'enabled' | 'openTurns' | 'uploads'>;

const KINDS: readonly LimitedKind[] = ['jwt', 'turns', 'reads'];
const LIMITED_KIND = 'limited-kind';
const LIMIT_WITHOUT_TOKEN = 'limit-without-token';

/**
 * Rate-limits a handler, or all handlers of a controller, as this kind: by user or, without one, by address. Routes
 * with a token count as reads by default.
 *
 * @throws Error for an unknown kind
 */
export function RateLimit(kind: LimitedKind): MethodDecorator & ClassDecorator {
  if (!KINDS.includes(kind)) throw new Error(`@RateLimit('${kind}'): the kind must be one of ${KINDS.join(', ')}.`);
  return SetMetadata(LIMITED_KIND, kind);
}

/** Counts routes without a token as reads, unless they have a kind. */
export const LimitWithoutToken = () => SetMetadata(LIMIT_WITHOUT_TOKEN, true);

/**
 * Responds with 429 to requests above the limit of their kind. Runs after the token guard, which sets the owner of the
 * request.
 */
@Injectable()
export class LimitsGuard extends ThrottlerGuard {
  protected override headerPrefix = 'RateLimit';

  constructor(
    @InjectThrottlerOptions() options: ThrottlerModuleOptions,
    @InjectThrottlerStorage() storage: ThrottlerStorage,
    reflector: Reflector,
    @Inject(Config) private readonly config: Config,
    @Inject(CatalogueService) private readonly catalogue: CatalogueService,
    @Inject(TurnCounts) private readonly turns: TurnCounts,
  ) {
    super(options, storage, reflector);
  }

  override canActivate(context: ExecutionContext): Promise<boolean> {
    if (context.getType() !== 'http') return true as never;
    // Returns a plain true if nothing is counted: a promise would cost each request a turn of the event loop.
    if (!this.config.rateLimits.enabled || kindOf(context) === undefined) return true as never;
    const project = kindOf(context) === 'turns' ? userOf(context)?.project_id : undefined;
    if (project === undefined || this.catalogue.knownProject(project)?.token_policy !== 'open')
      return super.canActivate(context);
    const { ip } = context.switchToHttp().getRequest<FastifyRequest>();
    return super.canActivate(context).then(() => this.turns.countOpen(ip).then(() => true));
  }

  protected override async throwThrottlingException(
    context: ExecutionContext,
    detail: ThrottlerLimitDetail,
  ): Promise<void> {
    const seconds = Math.max(1, detail.timeToBlockExpire);
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    reply.headers({ 'RateLimit-Limit': detail.limit, 'RateLimit-Remaining': 0, 'RateLimit-Reset': seconds });
    throw limitReached(kindOf(context) ?? 'reads', seconds);
  }
}

/** The kind of a request; undefined if it is not limited, as open routes are by default. */
export function kindOf(context: ExecutionContext): LimitedKind | undefined {
  const declared = declaredBy<LimitedKind>(LIMITED_KIND, context);
  return declared ?? (userOf(context) || declaredBy<boolean>(LIMIT_WITHOUT_TOKEN, context) ? 'reads' : undefined);
}

function declaredBy<T>(key: string, context: ExecutionContext): T | undefined {
  return (Reflect.getMetadata(key, context.getHandler()) ?? Reflect.getMetadata(key, context.getClass())) as
    | T
    | undefined;
}

/** The subject of the limit: a user or an address. */
export function subjectOf(context: ExecutionContext): string {
  const owner = userOf(context);
  if (owner) return `${owner.project_id}/${owner.user_id}`;
  return trackedAddress(context.switchToHttp().getRequest<FastifyRequest>().ip);
}

function userOf(context: ExecutionContext): { project_id: string; user_id: string } | undefined {
  return context.switchToHttp().getRequest<{ user?: { project_id: string; user_id: string } }>().user;
}
