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
export { AvatarChatError } from './error.js';
export type * from './types.js';
