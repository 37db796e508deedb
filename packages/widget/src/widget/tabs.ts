import type { Message } from 'avatar-chat-client';

/** What a tab tells the others of the same user. */
export type Note =
  | { message: Message }
  /** A failed message has been sent after all, by this key. */
  | { sent: string };

/** The other tabs of the same user in this browser. */
export class Tabs {
  private readonly channel?: BroadcastChannel;

  constructor(user: string, heard: (note: Note) => void) {
    try {
      this.channel = new BroadcastChannel(`avatar-chat:${user}`);
      this.channel.addEventListener('message', ({ data }: MessageEvent<Note>) => heard(data));
    } catch {
      // A frame without storage: then they hear of it at the next focus.
    }
  }

  tell(note: Note): void {
    this.channel?.postMessage(note);
  }

  close(): void {
    this.channel?.close();
  }
}
