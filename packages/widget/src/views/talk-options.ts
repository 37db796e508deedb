import type { TurnClient, ConnectionResponse } from 'avatar-chat-client';
import type { Choice } from '../core/choice.js';
import type { UserStorage } from '../core/user-storage.js';
import type { LoadScript, Strings } from '../strings/index.js';
import type { Entry } from '../history/history.js';

/** The parameters of a conversation. */
export interface TalkOptions {
  client: TurnClient;
  service: string;
  /** The URL of the `AudioWorklet` script of live conversations: a file, because a strict policy allows nothing else. */
  worklet: string;
  /** Loads another script of the widget. */
  load: LoadScript;
  store: UserStorage;
  connection: ConnectionResponse;
  strings: Strings;
  choice: Choice;
  /** Aborted when the panel is closed. */
  signal: () => AbortSignal;
  emit(type: string, detail: unknown): void;
  /** The newest page of the history has loaded. @param newestId the `_id` of its newest message */
  begun(newestId: string | undefined): void;
  /** A message has come by itself. */
  arrived(entry: Entry): void;
  /** Returns to the choice of an avatar. */
  back(): void;
  /** Starts a new conversation. */
  renew(): void;
}
