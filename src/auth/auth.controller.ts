import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiTags } from '@nestjs/swagger';
import { BRIEF } from '../platform/http/index.js';
import { ApiErrors } from '../platform/openapi/index.js';
import { RateLimit } from '../rate-limits/index.js';
import { TokenRequest, TokenResponse } from './auth.dto.js';
import { Public } from './auth.decorators.js';
import { AuthService } from './auth.service.js';

@ApiTags('Tokens')
@Controller()
export class AuthController {
  constructor(private readonly auth: AuthService) {}

  /** Obtain a token for a user, valid for 24 hours. */
  @ApiErrors(
    'invalid_user_id',
    'invalid_project_id',
    'invalid_json',
    'project_not_found',
    'tokens_closed',
    'invalid_user_hash',
    'payload_too_large',
    'unsupported_media_type',
    'rate_limited',
    'token_generation_failed',
  )
  @Post('jwt')
  @Public()
  @RateLimit('jwt')
  @RouteConfig(BRIEF)
  @HttpCode(200)
  async issue(@Body() { user_id, project_id, user_hash }: TokenRequest): Promise<TokenResponse> {
    return { result: 'success', jwt: await this.auth.issue(user_id, project_id, user_hash) };
  }
}
