export { AlreadyStored, MessageAppender, type Draft } from './message.appender.js';
export { MessageArchive, contentId, contentOf, type Fate, type ImportedMessage } from './message.archive.js';
export { MAX_ANSWER, MAX_REQUEST, MESSAGE_ID, Message } from './message.dto.js';
export { MessageExpiry } from './message.expiry.js';
export { present } from './message.present.js';
export { MessageRecorder } from './message.recorder.js';
export { MessageRepository, type MessageCounts, type Place, type RecentAnswer } from './message.repository.js';
export { MessageRetention } from './message.retention.js';
export { MessageDocument, MessageSchema, type Direction } from './message.schema.js';
