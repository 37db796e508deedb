import { ApiProperty } from '@nestjs/swagger';
import { IsIn, Matches } from 'class-validator';
import { refusalOf } from '../platform/validation/index.js';
import { RATINGS, type Rating } from './message.schema.js';

/** Maximum number of messages whose ratings are read at a time. */
export const MAX_IDS = 100;
const IDS = /^[A-Za-z0-9_-]{1,128}(,[A-Za-z0-9_-]{1,128}){0,99}$/;

/** The description of a rating. */
export const RATING = { enum: [...RATINGS, null], nullable: true, type: 'string' } as const;

/** A user's rating of an answer. */
export class RatingRequest {
  @IsIn([...RATINGS, null], refusalOf('invalid_rating'))
  @ApiProperty({ ...RATING, description: 'null removes the rating.' })
  rating!: Rating | null;
}

export class MessageRating {
  /** @example "6740a1f0c2d3e4f5a6b7c8d9" */
  message_id!: string;
  @ApiProperty(RATING)
  rating!: Rating | null;
}

export class RatingsQuery {
  @Matches(IDS, refusalOf('invalid_ids', MAX_IDS))
  @ApiProperty({ description: '1 to 100 message identifiers, comma-separated.', pattern: IDS.source })
  ids!: string;
}

/** Those of the messages that the user has rated. */
export class MessageRatings {
  ratings!: MessageRating[];
}
