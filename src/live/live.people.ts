import { Injectable } from '@nestjs/common';
import type { Owner } from '../auth/index.js';
import { type Project } from 'avatar-chat-catalogue';
import { type Signal, Signals } from '../events/index.js';
import { HandoverService } from '../handover/index.js';
import type { PeopleListener } from 'avatar-chat-realtime';
import { MessageRepository } from '../messages/index.js';

/** People who take over from the avatar of a live session, in any process. */
@Injectable()
export class LivePeople {
  constructor(
    private readonly signals: Signals,
    private readonly handover: HandoverService,
    private readonly messages: MessageRepository,
  ) {}

  /** @returns a function that ends it */
  follow(owner: Owner, listener: PeopleListener): () => void {
    return this.signals.subscribe((signal) => {
      if (signal.project_id !== owner.project_id || signal.user_id !== owner.user_id) return;
      if (signal.event === 'conversation' && signal.data.state !== 'avatar') listener.onTaken();
      if (signal.event === 'said') void this.read(owner, signal, listener).catch(() => undefined);
    });
  }

  /** Whether the avatar must not answer. */
  async hasTaken(owner: Owner, project: Project): Promise<boolean> {
    return (await this.handover.current(owner, project)).state !== 'avatar';
  }

  private async read(owner: Owner, { data }: Signal, listener: PeopleListener): Promise<void> {
    const message = await this.messages.find(owner, data.message_id!);
    if (message?.answer) listener.onMessage({ message_id: message._id, text: message.answer });
  }
}
