import type { Owner } from '../../auth/index.js';
import type { Cursor, MessageRepository } from '../../messages/index.js';
import { failure } from '../../platform/errors/index.js';
import type { HistoryRange } from '../chat.dto.js';

/**
 * Where a part of a history starts: at an offset, or after a message.
 *
 * @throws ServiceError `invalid_before` if the owner has no such message
 */
export async function startOf(
  owner: Owner,
  { limit, page = 1, before }: HistoryRange,
  messages: MessageRepository,
): Promise<number | Cursor> {
  if (before === undefined) return (page - 1) * limit;
  const cursor = await messages.cursorOf(owner, before);
  if (!cursor) throw failure('invalid_before');
  return cursor;
}
