import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CurrentUser, type Owner } from '../auth/index.js';
import { leavingOf } from '../platform/http/index.js';
import { ApiErrors } from '../platform/openapi/index.js';
import { TurnCounts } from '../rate-limits/index.js';
import { GreetingQuery, SpokenGreeting } from './greetings.dto.js';
import { GreetingsService } from './greetings.service.js';

@ApiTags('Chat')
@Controller('speech')
export class GreetingsController {
  constructor(
    private readonly greetings: GreetingsService,
    private readonly counts: TurnCounts,
  ) {}

  /** Speak an avatar's greeting. */
  @ApiErrors('invalid_avatar_id', 'invalid_language_code', 'avatar_not_found')
  @ApiOkResponse({ type: SpokenGreeting })
  @Get('greeting')
  speak(@CurrentUser() owner: Owner, @Query() query: GreetingQuery): Promise<SpokenGreeting> {
    return this.greetings.speak(owner.project_id, query);
  }

  /** Speak a message to the user that came by itself. It counts as a turn. */
  @ApiErrors('message_not_found')
  @ApiOkResponse({ type: SpokenGreeting })
  @Get('messages/:message_id')
  async speakMessage(
    @CurrentUser() owner: Owner,
    @Param('message_id') message_id: string,
    @Req() { ip }: FastifyRequest,
    @Res({ passthrough: true }) { raw }: FastifyReply,
  ): Promise<SpokenGreeting> {
    const leaving = leavingOf(raw);
    await this.counts.count(owner, ip);
    return this.greetings.speakMessage(owner, message_id, this.counts.holdersOf(owner, ip), leaving);
  }
}
