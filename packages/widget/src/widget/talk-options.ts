import type { AvatarChat, ConnectionResponse } from 'avatar-chat-client';
import type { Choice } from './start.js';
import type { Store } from './store.js';
import type { Strings } from './strings/index.js';
import type { Tabs } from './tabs.js';

/** What a conversation is made of. */
export interface TalkOptions {
  client: AvatarChat;
  service: string;
  store: Store;
  tabs: Tabs;
  connection: ConnectionResponse;
  strings: Strings;
  choice: Choice;
  /** Aborted when the panel is closed. */
  signal: () => AbortSignal;
  emit(type: string, detail: unknown): void;
  /** To the choice of an avatar. */
  back(): void;
  /** To a conversation with nothing in view. */
  renew(): void;
}
