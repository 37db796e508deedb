export { MAX_ANSWER, MAX_REQUEST } from './chat.errors.js';
export { HistoryPage, Message, MESSAGE_ID } from './chat.dto.js';
export { ChatModule } from './chat.module.js';
export { type TurnInput } from './turn.intake.js';
export { type TurnEvent, TurnService } from './turn.service.js';
export { ChatService, type HistoryRange, type Turn } from './chat.service.js';
export { type MessageCounts } from './message.repository.js';
export { contentId, contentOf, type Fate, type ImportedMessage, MessageArchive } from './message.archive.js';
