import {
  type Conversation,
  type ConversationWish,
  deadlineOf,
  nextConversation,
  WITH_AVATAR,
} from './handover.rules.js';

const SAM: Conversation = { state: 'person', name: 'Sam', since: 1 };
const WAITING: Conversation = { state: 'waiting', since: 1 };

describe('nextConversation', () => {
  it.each<[Conversation, ConversationWish, Conversation | 'taken' | undefined]>([
    [WITH_AVATAR, { state: 'waiting', by: 'user' }, { state: 'waiting', since: 9 }],
    [WITH_AVATAR, { state: 'avatar', by: 'user' }, undefined],
    [WITH_AVATAR, { state: 'person', by: 'operator', name: 'Sam' }, { state: 'person', name: 'Sam', since: 9 }],
    [WAITING, { state: 'waiting', by: 'avatar' }, undefined],
    [WAITING, { state: 'person', by: 'operator', name: 'Sam' }, { state: 'person', name: 'Sam', since: 9 }],
    [WAITING, { state: 'avatar', by: 'timeout' }, { state: 'avatar', since: 9 }],
    [SAM, { state: 'person', by: 'operator', name: 'Sam' }, undefined],
    [SAM, { state: 'person', by: 'operator', name: 'Kim' }, 'taken'],
    [SAM, { state: 'person', by: 'operator', name: 'Kim', force: false }, 'taken'],
    [SAM, { state: 'person', by: 'operator', name: 'Kim', force: true }, { state: 'person', name: 'Kim', since: 9 }],
    [SAM, { state: 'waiting', by: 'user' }, undefined],
    [SAM, { state: 'waiting', by: 'avatar' }, undefined],
    [SAM, { state: 'waiting', by: 'operator' }, { state: 'waiting', since: 9 }],
    [SAM, { state: 'avatar', by: 'user' }, { state: 'avatar', since: 9 }],
  ])('%j and %j: %j', (conversation, wish, expected) => {
    expect(nextConversation(conversation, wish, 9)).toEqual(expected);
  });
});

it('the time until a conversation returns is that of its state, by default half an hour', () => {
  const limits = { timeoutMinutes: 2, waitingMinutes: 0.5 };
  expect(deadlineOf('person', limits, 0)).toBe(120_000);
  expect(deadlineOf('waiting', limits, 0)).toBe(30_000);
  expect(deadlineOf('waiting', {}, 1)).toBe(1_800_001);
  expect(deadlineOf('avatar', limits, 0)).toBeUndefined();
});
