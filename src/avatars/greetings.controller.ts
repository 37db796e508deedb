import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { CurrentUser, type Owner } from '../auth/index.js';
import { ApiErrors } from '../platform/openapi/index.js';
import { GreetingQuery, SpokenGreeting } from './greetings.dto.js';
import { GreetingsService } from './greetings.service.js';

@ApiTags('Chat')
@Controller('speech')
export class GreetingsController {
  constructor(private readonly greetings: GreetingsService) {}

  /** Speak an avatar's greeting. */
  @ApiErrors('invalid_avatar_id', 'invalid_language_code', 'avatar_not_found')
  @ApiOkResponse({ type: SpokenGreeting })
  @Get('greeting')
  speak(@CurrentUser() owner: Owner, @Query() query: GreetingQuery): Promise<SpokenGreeting> {
    return this.greetings.speak(owner.project_id, query);
  }
}
