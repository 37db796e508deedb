/** Who answers: the avatar; nobody, until a person does; or a person. */
export const CONVERSATION_STATES = ['avatar', 'waiting', 'person'] as const;
export type ConversationState = (typeof CONVERSATION_STATES)[number];

/** Who changes it. */
export const CHANGED_BY = ['user', 'avatar', 'operator', 'timeout'] as const;
export type ChangedBy = (typeof CHANGED_BY)[number];

export interface Conversation {
  readonly state: ConversationState;
  /** The person who answers. */
  readonly name?: string;
  /** Since when, in Unix milliseconds; 0: always. */
  readonly since: number;
}

export interface ConversationWish {
  readonly state: ConversationState;
  readonly by: ChangedBy;
  /** Of the person. */
  readonly name?: string | undefined;
  /** Takes it from another person. */
  readonly force?: boolean | undefined;
}

/** Minutes after which a conversation returns to the avatar. */
export interface HandoverLimits {
  readonly timeoutMinutes?: number | undefined;
  readonly waitingMinutes?: number | undefined;
}

const DEFAULT_MINUTES = 30;
const MINUTE_MS = 60_000;

/** Whether a person can be asked for, and the minutes that apply then. */
export function offerOf(handover?: HandoverLimits & { enabled: boolean }): { enabled: boolean } & HandoverLimits {
  if (!handover?.enabled) return { enabled: false };
  const { timeoutMinutes = DEFAULT_MINUTES, waitingMinutes = DEFAULT_MINUTES } = handover;
  return { enabled: true, timeoutMinutes, waitingMinutes };
}

/** The conversation of a user whom nobody has handed over. */
export const WITH_AVATAR: Conversation = { state: 'avatar', since: 0 };

/**
 * The state machine.
 *
 * @returns undefined if nothing changes; `taken` if another person has it
 */
export function nextConversation(
  { state, name }: Conversation,
  wish: ConversationWish,
  now: number,
): Conversation | 'taken' | undefined {
  if (state === 'person') {
    if (wish.state === 'person' && wish.name === name) return undefined;
    if (wish.state === 'person' && !wish.force) return 'taken';
    if (wish.state === 'waiting' && wish.by !== 'operator') return undefined;
  } else if (wish.state === state) return undefined;
  return { state: wish.state, since: now, ...(wish.state === 'person' ? { name: wish.name! } : {}) };
}

/** When a conversation returns to the avatar, in Unix milliseconds, if nothing happens until then. @param from the start */
export function deadlineOf(state: ConversationState, limits: HandoverLimits, from: number): number | undefined {
  if (state === 'avatar') return undefined;
  const minutes = state === 'person' ? limits.timeoutMinutes : limits.waitingMinutes;
  return from + (minutes ?? DEFAULT_MINUTES) * MINUTE_MS;
}

/** A conversation as clients see it, without its time. */
export type ConversationShown = Omit<Conversation, 'since'>;

export function shownState({ state, name }: ConversationShown): ConversationShown {
  return { state, ...(name === undefined ? {} : { name }) };
}
