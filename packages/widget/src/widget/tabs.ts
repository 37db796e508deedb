import type { Message } from 'avatar-chat-client';

/** A message between tabs of the same user. */
export type Note =
  | { message: Message }
  /** A failed message with this key has been sent after all. */
  | { sent: string };

/** The other tabs of the same user in this browser. */
export class Tabs {
  private readonly channel?: BroadcastChannel;

  constructor(user: string, heard: (note: Note) => void) {
    try {
      this.channel = new BroadcastChannel(`avatar-chat:${user}`);
      this.channel.addEventListener('message', ({ data }: MessageEvent<Note>) => heard(data));
    } catch {
      // In a frame without storage, other tabs notice at their next focus.
    }
  }

  tell(note: Note): void {
    this.channel?.postMessage(note);
  }

  close(): void {
    this.channel?.close();
  }
}
