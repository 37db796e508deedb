import { Injectable } from '@nestjs/common';
import type { Owner } from '../auth/index.js';
import { Events } from '../events/index.js';
import { failure } from '../platform/errors/index.js';
import { MESSAGE_ID } from './message.dto.js';
import { MessageRemoval } from './message.removal.js';
import { MessageRepository } from './message.repository.js';
import type { MessageDocument, Rating } from './message.schema.js';
import type { MessageRating } from './rating.dto.js';

/** Users' ratings of answers. */
@Injectable()
export class RatingService {
  constructor(
    private readonly messages: MessageRepository,
    private readonly removal: MessageRemoval,
    private readonly events: Events,
  ) {}

  /**
   * Rates an answer; null removes the rating. A change is published as `message.rated`.
   *
   * @throws ServiceError `message_not_found` if it is not an answer to this owner
   */
  async rate(owner: Owner, message_id: string, rating: Rating | null): Promise<void> {
    const before = MESSAGE_ID.test(message_id) ? await this.messages.rate(owner, message_id, rating) : null;
    if (!before) throw failure('message_not_found');
    if ((before.rating ?? null) === rating) return;
    const event_id = await this.publish(before, rating).catch(async (error: unknown) => {
      // Restored, so that the client's next attempt changes it again, and publishes the event.
      await this.messages.rate(owner, message_id, before.rating ?? null).catch(() => undefined);
      throw error;
    });
    if (event_id === undefined || (await this.removal.existing(owner, [message_id])).has(message_id)) return;
    // The user was erased in the meantime, possibly after the user's other outbox entries were removed.
    await this.events.retract(event_id);
    throw failure('message_not_found');
  }

  /** The ratings of those of these messages that the owner has rated. */
  async find(owner: Owner, ids: readonly string[]): Promise<MessageRating[]> {
    const ratings = await this.messages.ratings(owner, ids);
    return [...ratings].map(([message_id, rating]) => ({ message_id, rating }));
  }

  private publish(message: MessageDocument, rating: Rating | null): Promise<string | undefined> {
    const { _id: message_id, project_id, user_id, avatar_id, chat_type, language_code, session } = message;
    const about = { project_id, user_id, message_id, avatar_id, chat_type, language_code };
    return this.events.publish('message.rated', { ...about, ...(session === undefined ? {} : { session }), rating });
  }
}
