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
import { LimitedAnyway } from '../platform/rate-limits/index.js';
import { ownerOf } from './message.tokens.js';
import type { Owner } from './owner.js';
import { IS_PUBLIC } from './public.js';

/** Lets requests without a token reach a controller or a handler. */
export const Public = () => applyDecorators(SetMetadata(IS_PUBLIC, true), ApiSecurity({}));

/** How a guard of a module is documented. */
export interface GuardDescription {
  /** Its name among the security schemes of the OpenAPI document. */
  name: string;
  /** What it asks for, as OpenAPI has it, such as `{ type: 'apiKey', in: 'header', name: 'X-Api-Key' }`; `bearer` and `basic` for short. */
  scheme: SecuritySchemeObject | 'bearer' | 'basic';
}

/**
 * Closes a controller or a handler by a guard of its own in place of the token's. Its requests are counted by address as
 * reads, unless `@RateLimit()` says otherwise.
 *
 * @example
 * @GuardedBy(PartnerGuard, { name: 'partner', scheme: { type: 'apiKey', in: 'header', name: 'X-Api-Key' } })
 */
export function GuardedBy(guard: Type<CanActivate>, { name, scheme }: GuardDescription) {
  documentScheme(name, typeof scheme === 'string' ? { type: 'http', scheme } : scheme);
  return applyDecorators(IsGuardedBy(guard, name), LimitedAnyway());
}

/** As {@link GuardedBy} with a scheme that the document has already, and without a limit. */
export const IsGuardedBy = (guard: Type<CanActivate>, name: string) =>
  applyDecorators(SetMetadata(IS_PUBLIC, true), UseGuards(guard), ApiSecurity(name));

/**
 * The {@link Owner} of the token of a request, of a WebSocket client or of an RPC message.
 *
 * @example
 * @Get()
 * list(@CurrentUser() owner: Owner) {}
 */
export const CurrentUser = createParamDecorator((_: unknown, context: ExecutionContext): Owner => ownerOf(context));
