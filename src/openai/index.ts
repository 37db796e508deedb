export { MissingKeyError, reasonOf } from './openai.errors.js';
export { OpenAiModule } from './openai.module.js';
export { OpenAiRealtime } from './openai.realtime.js';
export { type RealtimeEvent } from './realtime.connection.js';
export {
  type RealtimeAnyItem,
  type RealtimeCall,
  RealtimeConversation,
  type RealtimeItem,
  type RealtimePart,
  type RealtimeResponseSettings,
  type RealtimeSettings,
} from './realtime.conversation.js';
export { type OpenAiCall, type OpenAiServer, OpenAiServers } from './openai.servers.js';
