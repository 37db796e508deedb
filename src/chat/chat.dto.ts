import { ApiProperty } from '@nestjs/swagger';
import { Matches, ValidateBy } from 'class-validator';
import { INVALID_USER_ID, type Owner, USER_ID } from '../auth/index.js';
import { IfGiven, refusal } from '../platform/validation/index.js';
import {
  INVALID_BEFORE,
  INVALID_PAGE,
  INVALID_PER_PAGE,
  invalidPage,
  MAX_PAGE,
  MAX_PER_PAGE,
  userNotFound,
} from './chat.errors.js';
import type { HistoryRange } from './chat.service.js';
import { Message, MESSAGE_ID } from '../messages/index.js';

const DEFAULT_PER_PAGE = 100;

/** A query parameter that is a whole number from 1, without sign, spaces or leading zeros. */
function IsCount(max: number, code: string, message: string): PropertyDecorator {
  const validate = (value: unknown) =>
    typeof value === 'string' && /^[1-9][0-9]{0,15}$/.test(value) && Number(value) <= max;
  return ValidateBy({ name: 'isCount', validator: { validate } }, refusal(code, message));
}

export class HistoryQuery {
  @Matches(USER_ID, refusal('invalid_user_id', INVALID_USER_ID))
  @ApiProperty({ description: 'Whose messages; the user of the token.', pattern: USER_ID.source, example: 'user-1' })
  user_id!: string;

  @IfGiven()
  @IsCount(MAX_PER_PAGE, 'invalid_per_page', INVALID_PER_PAGE)
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
  @IsCount(MAX_PAGE, 'invalid_page', INVALID_PAGE)
  @ApiProperty({
    description: 'Which page, from 1: the newest messages.',
    type: 'integer',
    minimum: 1,
    maximum: MAX_PAGE,
    default: 1,
    required: false,
  })
  page?: string;

  @IfGiven()
  @Matches(MESSAGE_ID, refusal('invalid_before', INVALID_BEFORE))
  @ApiProperty({
    description:
      'Instead of page: the messages before this one, by its _id. Unlike pages, it neither repeats nor skips while messages arrive.',
    pattern: MESSAGE_ID.source,
    required: false,
  })
  before?: string;

  /**
   * @internal The part of the history that is asked for, by the one who may.
   * @throws ServiceError `user_not_found` for another user's; `invalid_page` for both a page and a place.
   */
  rangeFor(owner: Owner): HistoryRange {
    if (this.page !== undefined && this.before !== undefined) throw invalidPage();
    if (this.user_id !== owner.user_id) throw userNotFound();
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
