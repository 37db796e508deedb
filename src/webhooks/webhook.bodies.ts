import type { Type } from '@nestjs/common';
import { type EventType } from 'avatar-chat-catalogue';
import { type EventData, SessionStarted, UserErased } from '../events/index.js';
import { ConversationChange } from '../handover/index.js';
import { MessageCreated, MessageRated, TurnFailed } from '../messages/index.js';
import { documentWebhook } from '../platform/openapi/index.js';

/** What each event tells, and the type of its data. */
const BODIES: { readonly [T in EventType]: readonly [summary: string, data: Type<EventData[T]>] } = {
  'session.started': ['`GET /connection` has opened a session.', SessionStarted],
  'message.created': ['A message was stored, but not by an import.', MessageCreated],
  'message.rated': ['A user has rated an answer, or removed the rating.', MessageRated],
  'turn.failed': ['A stored message got no answer.', TurnFailed],
  'user.erased': ['An operator has erased a user.', UserErased],
  'conversation.waiting': ['A user waits for a person.', ConversationChange],
  'conversation.taken': ['A person answers from now on.', ConversationChange],
  'conversation.returned': ['The avatar answers again.', ConversationChange],
};

for (const [type, [summary, data]] of Object.entries(BODIES)) documentWebhook(type, summary, data);
