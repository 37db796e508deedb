import {
  applyDecorators,
  type CanActivate,
  createParamDecorator,
  type ExecutionContext,
  SetMetadata,
  type Type,
  UseGuards,
} from '@nestjs/common';
import { ApiSecurity } from '@nestjs/swagger';
import { documentScheme, type SecuritySchemeObject } from '../platform/openapi/index.js';
import { LimitWithoutToken } from '../rate-limits/index.js';
import type { Owner } from './owner.js';
import { IS_PUBLIC } from './public.js';

/** Exempts a controller or a handler from the token guard. */
export const Public = () => applyDecorators(SetMetadata(IS_PUBLIC, true), ApiSecurity({}));

/** How a module's guard is documented. */
export interface GuardDescription {
  /** Its name among the security schemes in the OpenAPI document. */
  name: string;
  /**
   * Its OpenAPI security scheme, such as `{ type: 'apiKey', in: 'header', name: 'X-Api-Key' }`; `bearer` and `basic`
   * are shorthands.
   */
  scheme: SecuritySchemeObject | 'bearer' | 'basic';
}

/**
 * Protects a controller or a handler with a guard of its own instead of the token guard. Its requests are rate-limited
 * by address as reads, unless `@RateLimit()` says otherwise.
 *
 * @example
 * @GuardedBy(PartnerGuard, { name: 'partner', scheme: { type: 'apiKey', in: 'header', name: 'X-Api-Key' } })
 */
export function GuardedBy(guard: Type<CanActivate>, { name, scheme }: GuardDescription) {
  documentScheme(name, typeof scheme === 'string' ? { type: 'http', scheme } : scheme);
  return applyDecorators(IsGuardedBy(guard, name), LimitWithoutToken());
}

/** Like {@link GuardedBy}, with a scheme that the document already has, and without a rate limit. */
export const IsGuardedBy = (guard: Type<CanActivate>, name: string) =>
  applyDecorators(SetMetadata(IS_PUBLIC, true), UseGuards(guard), ApiSecurity(name));

/**
 * The {@link Owner} of the token of a request.
 *
 * @example
 * @Get()
 * list(@CurrentUser() owner: Owner) {}
 */
export const CurrentUser = createParamDecorator(
  (_: unknown, context: ExecutionContext): Owner => context.switchToHttp().getRequest<{ user: Owner }>().user,
);
