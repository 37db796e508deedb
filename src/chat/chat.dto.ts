import { ApiProperty } from '@nestjs/swagger';
import { Matches, ValidateBy } from 'class-validator';
import { type Owner, USER_ID } from '../auth/index.js';
import { failure } from '../platform/errors/index.js';
import { IfGiven, refusalOf } from '../platform/validation/index.js';
import { Message, MESSAGE_ID } from '../messages/index.js';

const DEFAULT_PER_PAGE = 100;
export const MAX_PER_PAGE = 1000;
export const MAX_PAGE = 2_147_483_647;

/** A query parameter that is a whole number from 1, without sign, spaces or leading zeros. */
function IsCount(max: number, error: 'invalid_page' | 'invalid_per_page'): PropertyDecorator {
  const validate = (value: unknown) =>
    typeof value === 'string' && /^[1-9][0-9]{0,15}$/.test(value) && Number(value) <= max;
  return ValidateBy({ name: 'isCount', validator: { validate } }, refusalOf(error, max));
}

/** Part of a history: a page by its number from 1, or the messages before a given one. */
export interface HistoryRange {
  /** 1–1000. */
  limit: number;
  page?: number;
  before?: string;
}

export class HistoryQuery {
  @Matches(USER_ID, refusalOf('invalid_user_id'))
  @ApiProperty({ description: 'Must be the user of the token.', pattern: USER_ID.source, example: 'user-1' })
  user_id!: string;

  @IfGiven()
  @IsCount(MAX_PER_PAGE, 'invalid_per_page')
  @ApiProperty({
    description: 'Messages per page.',
    type: 'integer',
    minimum: 1,
    maximum: MAX_PER_PAGE,
    default: DEFAULT_PER_PAGE,
    required: false,
  })
  per_page?: string;

  @IfGiven()
  @IsCount(MAX_PAGE, 'invalid_page')
  @ApiProperty({
    description: 'Page number from 1, which has the newest messages.',
    type: 'integer',
    minimum: 1,
    maximum: MAX_PAGE,
    default: 1,
    required: false,
  })
  page?: string;

  @IfGiven()
  @Matches(MESSAGE_ID, refusalOf('invalid_before'))
  @ApiProperty({
    description:
      'Instead of page: the messages before this _id. Unlike pages, a cursor neither repeats nor skips messages when new ones arrive.',
    pattern: MESSAGE_ID.source,
    required: false,
  })
  before?: string;

  /**
   * @internal The requested part of the history, after the authorization check.
   * @throws ServiceError `user_not_found` for another user's; `invalid_page` for both a page and a cursor.
   */
  rangeFor(owner: Owner): HistoryRange {
    if (this.page !== undefined && this.before !== undefined) throw failure('invalid_page', MAX_PAGE);
    if (this.user_id !== owner.user_id) throw failure('user_not_found');
    return { limit: Number(this.per_page ?? DEFAULT_PER_PAGE), page: Number(this.page ?? 1), before: this.before };
  }
}

/** One page of a user's history. */
export class HistoryPage {
  /** The messages of the page, newest first. */
  payload!: Message[];
  /** Whether further pages hold more messages. */
  has_more_messages!: boolean;
}
