import type { EngineExchange, EngineSaid } from '../engines/index.js';
import type { MessageDocument, RecentAnswer } from '../messages/index.js';

/** How many turns an engine is told of. */
const HISTORY_TURNS = 20;
/** Answers read to find them, for a user may have talked with other avatars in between. */
export const HISTORY_ANSWERS = 30;

/** The newest turns with the same avatar, oldest first, from before the one that is to be answered. */
export function historyOf(
  { avatar_id, date = Infinity }: Pick<MessageDocument, 'avatar_id'> & Partial<Pick<MessageDocument, 'date'>>,
  recent: readonly RecentAnswer[],
): EngineExchange[] {
  return recent
    .filter((message) => message.avatar_id === avatar_id && message.date < date && message.answer !== '')
    .slice(0, HISTORY_TURNS)
    .map(({ request, answer = '' }) => ({ request, answer }))
    .toReversed();
}

/** What the user said to any avatar of the project before that, oldest first. */
export function saidBefore({ date }: MessageDocument, recent: readonly RecentAnswer[]): EngineSaid[] {
  return recent
    .filter((message) => message.date < date)
    .map(({ avatar_id, request }) => ({ avatar_id, request }))
    .toReversed();
}
