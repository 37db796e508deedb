import { Injectable } from '@nestjs/common';
import { Owner } from '../auth/index.js';
import { type EventData, Events, type MessageSource, type ServiceEvent } from '../events/index.js';
import { FileUrls } from '../files/index.js';
import { present } from './message.present.js';
import { type Draft, MessageRepository, type Place } from './message.repository.js';
import type { MessageDocument } from './message.schema.js';

const BATCH = 100;

/** Records messages, and sees to it that others hear of them. */
@Injectable()
export class MessageRecorder implements MessageSource {
  constructor(
    private readonly messages: MessageRepository,
    private readonly events: Events,
    private readonly urls: FileUrls,
  ) {
    events.readMessagesFrom(this);
  }

  /** As {@link MessageRepository.append}. */
  async append(owner: Owner, drafts: readonly Draft[], now: number, last?: Place): Promise<MessageDocument[]> {
    const isWanted = await this.events.isWanted('message.created', owner.project_id);
    const marked = isWanted ? drafts.map((draft) => ({ ...draft, unannounced: now })) : drafts;
    const stored = await this.messages.append(owner, marked, now, last);
    if (this.events.isHeard('message.created')) for (const message of stored) this.events.tell(this.eventOf(message));
    // Nobody waits for it: what goes wrong here, handOn() comes to.
    if (isWanted) void this.announce(stored).catch(() => undefined);
    return stored;
  }

  async find(
    project_id: string,
    user_id: string,
    message_id: string,
  ): Promise<EventData['message.created'] | undefined> {
    const message = await this.messages.find(new Owner(project_id, user_id), message_id);
    return message ? this.eventOf(message).data : undefined;
  }

  async handOn(before: number): Promise<void> {
    for (;;) {
      const overlooked = await this.messages.findUnannounced(before, BATCH);
      await this.announce(overlooked);
      if (overlooked.length < BATCH) return;
    }
  }

  private async announce(messages: readonly MessageDocument[]): Promise<void> {
    for (const message of messages) {
      await this.events.keep(this.eventOf(message));
      await this.messages.markAnnounced(message);
    }
  }

  /** Its identifier is made of that of the message, so that it stays the same however often it is told. */
  private eventOf(message: MessageDocument): ServiceEvent<'message.created'> {
    const { _id, project_id, date, session } = message;
    const data = { project_id, ...present(message, this.urls), ...(session === undefined ? {} : { session }) };
    return { id: `evt_${_id}`, type: 'message.created', date, data };
  }
}
