import { applyDecorators, createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import { ApiSecurity } from '@nestjs/swagger';
import type { Owner } from './owner.js';

export const IS_PUBLIC = Symbol('IS_PUBLIC');

/** Lets requests without a token reach a controller or a handler. */
export const Public = () => applyDecorators(SetMetadata(IS_PUBLIC, true), ApiSecurity({}));

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
