import type { EngineExchange, EngineSaid } from 'avatar-chat-models';
import type { MessageDocument, RecentAnswer } from '../../messages/index.js';

/** Number of earlier turns that an engine gets. */
const HISTORY_TURNS = 20;
/** Answers read to find them, since the user may have talked with other avatars in between. */
export const HISTORY_ANSWERS = 30;

/** What a client has taken out of its session, by the messages with the answers: these themselves, and what was asked. */
export interface DeletedTurns {
  readonly answers: ReadonlySet<string>;
  readonly asked: ReadonlySet<string>;
}

/** What the user said, each once; an answer that was taken out is undefined. @param recent newest first */
export function saidOnce(recent: readonly RecentAnswer[], deleted?: DeletedTurns): RecentAnswer[] {
  // A message that nobody asked for has the user's last question, which may have been answered before. Imported ones follow none.
  const isRepeated = (request: string, at: number) => recent.slice(at + 1).some((one) => one.request === request);
  return recent
    .map(({ _id, request, answer, ...message }, at) => {
      const isAnswerGone = deleted?.answers.has(_id) ?? false;
      const isUnasked = answer !== undefined && !message.answers && message.follows !== undefined;
      const isGone = deleted?.asked.has(_id) || ((isAnswerGone || isUnasked) && isRepeated(request, at));
      return { ...message, _id, request: isGone ? '' : request, ...(!isAnswerGone && { answer }) } as RecentAnswer;
    })
    .filter(({ request, answer }) => request !== '' || answer !== undefined);
}

/** The latest turns with the same avatar before the current one, oldest first. */
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
    .filter((message) => message.date < date && message.request !== '')
    .map(({ avatar_id, request }) => ({ avatar_id, request }))
    .toReversed();
}
