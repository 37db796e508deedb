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
import type { Owner } from './owner.js';

export const IS_PUBLIC = Symbol('IS_PUBLIC');

/** Lets requests without a token reach a controller or a handler. */
export const Public = () => applyDecorators(SetMetadata(IS_PUBLIC, true), ApiSecurity({}));

/**
 * Closes a controller or a handler by a guard of its own in place of the token's.
 *
 * @param scheme its name among the security schemes of the OpenAPI document
 */
export const GuardedBy = (guard: Type<CanActivate>, scheme: string) =>
  applyDecorators(SetMetadata(IS_PUBLIC, true), UseGuards(guard), ApiSecurity(scheme));

/**
 * The {@link Owner} of the request's token.
 *
 * @example
 * @Get()
 * list(@CurrentUser() owner: Owner) {}
 */
export const CurrentUser = createParamDecorator(
  (_: unknown, context: ExecutionContext): Owner => context.switchToHttp().getRequest<{ user: Owner }>().user,
);
