import { Body, Controller, Get, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentUser, type Owner } from '../auth/index.js';
import { CatalogueService } from '../catalogue/index.js';
import { HandoverService, offerOf } from '../handover/index.js';
import { ApiErrors } from '../platform/openapi/index.js';
import { ConversationDetails, HandoverOffer, inWords, USER_STATES, UserWish } from './conversation.dto.js';

@ApiTags('Chat')
@Controller('chat')
export class ConversationController {
  constructor(
    private readonly handover: HandoverService,
    private readonly catalogue: CatalogueService,
  ) {}

  /** Show who answers the user: the avatar or a person. */
  @Get('conversation')
  async show(@CurrentUser() owner: Owner): Promise<ConversationDetails> {
    const { project } = await this.catalogue.resolvedProject(owner.project_id);
    return this.handover.current(owner, project);
  }

  /** Show whether a person can be asked for. */
  @Get('handover')
  async offer(@CurrentUser() owner: Owner): Promise<HandoverOffer> {
    const { handover } = (await this.catalogue.resolvedProject(owner.project_id)).project;
    return offerOf(handover);
  }

  /** Ask for a person, or go back to the avatar. */
  @Put('conversation')
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
