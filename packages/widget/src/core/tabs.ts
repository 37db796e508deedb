import type { Message } from 'avatar-chat-client';

/** A message between tabs of the same user. */
export type TabMessage =
  | { message: Message }
  /** A failed message with this key has been sent after all. */
  | { sent: string };

/** The other tabs of the same user in this browser. */
export class Tabs {
  private readonly channel?: BroadcastChannel;

  constructor(user: string, heard: (note: TabMessage) => void) {
    try {
      this.channel = new BroadcastChannel(`avatar-chat:${user}`);
      this.channel.addEventListener('message', ({ data }: MessageEvent<TabMessage>) => heard(data));
    } catch {
      // In a frame without storage, other tabs notice at their next focus.
    }
  }

  broadcast(note: TabMessage): void {
    this.channel?.postMessage(note);
  }

  close(): void {
    this.channel?.close();
  }
}
