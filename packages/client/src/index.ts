export {
  AvatarChat,
  type AvatarChatOptions,
  type CallOptions,
  type ConnectOptions,
  type ExchangeReport,
  type PageOptions,
  type Turn,
  type TurnEvent,
  type TurnOptions,
} from './client.js';
export type { RequestOptions } from './request.js';
export { AvatarChatError } from './error.js';
export type * from './live/events.js';
export { type LiveOptions, LiveSession } from './live/session.js';
export type { WebSocketClass } from './live/socket.js';
export { type Heard, LiveSpeaker, type Output, samplesOf } from './live/speaker.js';
export type * from './types.js';
