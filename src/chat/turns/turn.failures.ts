import { Injectable } from '@nestjs/common';
import { ErasureFences, isGone } from '../../erasure/index.js';
import { Events } from '../../events/index.js';
import { ServiceError } from '../../platform/errors/index.js';
import type { BegunTurn, Interruption } from './turn.answer.js';

/** Notifies other systems of messages that got no answer. */
@Injectable()
export class TurnFailures {
  constructor(
    private readonly events: Events,
    private readonly fences: ErasureFences,
  ) {}

  /** Emits `turn.failed`, unless the user was erased. Never throws: that would mask the original failure. */
  async report(begun: BegunTurn, reason: Interruption | undefined, error: unknown): Promise<void> {
    if (isGone(error)) return;
    const { owner, outgoing, fence } = begun;
    const { project_id, user_id } = owner;
    const { _id, avatar_id, chat_type, language_code, session } = outgoing;
    const code = error instanceof ServiceError ? error.code : 'internal_error';
    const failed = {
      project_id,
      user_id,
      message_id: _id,
      avatar_id,
      chat_type,
      language_code,
      ...(session === undefined ? {} : { session }),
      error: reason === 'left' ? 'client_left' : code,
    };
    const event_id = await this.events.publish('turn.failed', failed).catch(() => undefined);
    if (event_id === undefined) return;
    await this.fences.assertNotErased(owner, fence).catch(async (gone: unknown) => {
      if (isGone(gone)) await this.events.retract(event_id).catch(() => undefined);
    });
  }
}
