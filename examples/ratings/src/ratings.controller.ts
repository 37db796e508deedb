import { Body, Controller, Get, Param, Put } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import { ApiErrors, CurrentUser, type Owner } from 'avatar-chat-service';
import { INVALID_STARS, Rating } from './ratings.dto.js';
import { RatingsService } from './ratings.service.js';

/** Nothing here says that it needs a token: every route does. */
@Controller('ratings')
export class RatingsController {
  constructor(private readonly ratings: RatingsService) {}

  @ApiOkResponse({ type: Rating })
  @ApiErrors({ 400: [['invalid_stars', INVALID_STARS]] })
  @Put(':message_id')
  rate(
    @CurrentUser() owner: Owner,
    @Param('message_id') message_id: string,
    @Body() { stars }: Rating,
  ): Promise<Rating> {
    return this.ratings.rate(owner, message_id, stars);
  }

  @ApiOkResponse({ type: Rating })
  @ApiErrors({ 404: [['rating_not_found', 'There is no such rating.']] })
  @Get(':message_id')
  find(@CurrentUser() owner: Owner, @Param('message_id') message_id: string): Promise<Rating> {
    return this.ratings.find(owner, message_id);
  }
}
