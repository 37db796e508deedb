export { AvatarChat } from './client.js';
export { TurnClient } from './turn-client.js';
export type {
  AvatarChatOptions,
  CallOptions,
  ChatEvent,
  ConnectOptions,
  Conversation,
  ConversationEvent,
  EventsOptions,
  ExchangeReport,
  PageOptions,
  Source,
  Turn,
  TurnEvent,
  TurnOptions,
} from './options.js';
export type { RequestOptions } from './request.js';
export { AvatarChatError } from './error.js';
export type * from './live/events.js';
export type { LiveOptions } from './live/options.js';
export { LiveSession } from './live/session.js';
export type { WebSocketClass } from './live/socket.js';
export { type Heard, LiveSpeaker, type Output, samplesOf } from './live/speaker.js';
export type * from './types.js';
