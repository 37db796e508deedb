export { type ConversationCursor, ConversationRepository } from './conversation.repository.js';
export { ConversationChange } from './handover.events.dto.js';
export type { ConversationDocument } from './conversation.schema.js';
export { HandoverModule } from './handover.module.js';
export {
  type ChangedBy,
  type Conversation,
  type ConversationShown,
  CONVERSATION_STATES,
  type ConversationState,
  type ConversationWish,
  offerOf,
  shownState,
  WITH_AVATAR,
} from './handover.rules.js';
export { HandoverService } from './handover.service.js';
