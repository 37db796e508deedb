export { ConversationsHttpModule, ConversationsModule } from './conversations.module.js';
export { EventStreams } from './event.streams.js';
