import { Body, Controller, Get, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentUser, type Owner } from '../auth/index.js';
import { CatalogueService } from '../catalogue/index.js';
import { HandoverService } from '../handover/index.js';
import { ApiErrors } from '../platform/openapi/index.js';
import { ConversationDetails, inWords, USER_STATES, UserWish } from './conversation.dto.js';

@ApiTags('Chat')
@Controller('chat/conversation')
export class ConversationController {
  constructor(
    private readonly handover: HandoverService,
    private readonly catalogue: CatalogueService,
  ) {}

  /** Show who answers the user: the avatar or a person. */
  @Get()
  async show(@CurrentUser() owner: Owner): Promise<ConversationDetails> {
    const { project } = await this.catalogue.resolvedProject(owner.project_id);
    return this.handover.current(owner, project);
  }

  /** Ask for a person, or go back to the avatar. */
  @Put()
  @ApiErrors(
    ['invalid_state', inWords(USER_STATES)],
    'invalid_json',
    'handover_disabled',
    'user_erased',
    'payload_too_large',
    'unsupported_media_type',
  )
  change(@CurrentUser() owner: Owner, @Body() { state }: UserWish): Promise<ConversationDetails> {
    return this.handover.change(owner, { state, by: 'user' });
  }
}
