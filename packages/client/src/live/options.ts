import type { LiveSettings } from './events.js';

export interface LiveOptions {
  avatar_id: string;
  /** The user's initial language; default the project's first. */
  language_code?: string;
  /** The session from {@link AvatarChat.connect}. Omitted if it has expired. */
  session?: string;
  /** The type under which turns are stored; default `voice`. */
  chat_type?: 'voice' | 'video';
  /** Sent at the start, and again if a new session replaces a lost one. */
  settings?: LiveSettings;
  /** Ends the session. */
  signal?: AbortSignal;
}
