import { Body, Controller, Get, Param, Put, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { CurrentUser, type Owner } from '../auth/index.js';
import { failure } from '../platform/errors/index.js';
import { ApiErrors } from '../platform/openapi/index.js';
import { MAX_IDS, MessageRating, MessageRatings, RatingRequest, RatingsQuery } from './rating.dto.js';
import { MESSAGE_ID, MessageSources } from './message.dto.js';
import { MessageRepository } from './message.repository.js';
import { RatingService } from './rating.service.js';

@ApiTags('Chat')
@Controller('messages')
export class MessageController {
  constructor(
    private readonly ratings: RatingService,
    private readonly messages: MessageRepository,
  ) {}

  /** Rate an answer of an avatar, or remove the rating. */
  @ApiErrors('invalid_rating', 'invalid_json', 'message_not_found', 'payload_too_large', 'unsupported_media_type')
  @ApiOkResponse({ type: MessageRating })
  @Put(':message_id/rating')
  async rate(
    @CurrentUser() owner: Owner,
    @Param('message_id') message_id: string,
    @Body() { rating }: RatingRequest,
  ): Promise<MessageRating> {
    await this.ratings.rate(owner, message_id, rating);
    return { message_id, rating };
  }

  /** Read the user's ratings of messages. */
  @ApiErrors(['invalid_ids', MAX_IDS])
  @ApiOkResponse({ type: MessageRatings })
  @Get('ratings')
  async find(@CurrentUser() owner: Owner, @Query() { ids }: RatingsQuery): Promise<MessageRatings> {
    return { ratings: await this.ratings.find(owner, ids.split(',')) };
  }

  /** Read the parts of documents that an answer is from. */
  @ApiErrors('message_not_found')
  @Get(':message_id/sources')
  async findSources(@CurrentUser() owner: Owner, @Param('message_id') message_id: string): Promise<MessageSources> {
    const sources = MESSAGE_ID.test(message_id) ? await this.messages.findSources(owner, message_id) : null;
    if (!sources) throw failure('message_not_found');
    return { sources };
  }
}
