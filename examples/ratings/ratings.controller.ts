import { Body, Controller, Get, Param, Put } from '@nestjs/common';
import { Max, Min } from 'class-validator';
import { CurrentUser, type Owner, refusal } from '../../src/index.js';
import { RatingsService } from './ratings.service.js';

const INVALID_STARS = refusal('invalid_stars', 'stars must be a number from 1 to 5.');

export class Rating {
  @Min(1, INVALID_STARS)
  @Max(5, INVALID_STARS)
  stars!: number;
}

/** Nothing here says that it needs a token: every route does. */
@Controller('ratings')
export class RatingsController {
  constructor(private readonly ratings: RatingsService) {}

  @Put(':message_id')
  rate(
    @CurrentUser() owner: Owner,
    @Param('message_id') message_id: string,
    @Body() { stars }: Rating,
  ): Promise<Rating> {
    return this.ratings.rate(owner, message_id, stars);
  }

  @Get(':message_id')
  find(@CurrentUser() owner: Owner, @Param('message_id') message_id: string): Promise<Rating> {
    return this.ratings.find(owner, message_id);
  }
}
