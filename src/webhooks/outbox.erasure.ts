import { Injectable } from '@nestjs/common';
import type { Owner } from '../auth/index.js';
import { ErasableData } from '../erasure/index.js';
import { Events } from '../events/index.js';
import { OutboxRepository } from './outbox.repository.js';

/** Erases pending events, except that a user was erased. */
@Injectable()
export class OutboxErasure extends ErasableData {
  readonly name = 'outbox';
  /** After the messages that events refer to. */
  override readonly order = 10;

  constructor(
    private readonly outbox: OutboxRepository,
    private readonly events: Events,
  ) {
    super();
  }

  override eraseUser(owner: Owner): Promise<void> {
    const { project_id, user_id } = owner;
    return this.outbox.eraseUser(
      owner,
      async (ids) => (await this.events.messages?.existing(project_id, user_id, ids)) ?? new Set(),
    );
  }

  override eraseProject(project_id: string, isRemoved: boolean): Promise<void> {
    return this.outbox.eraseProject(project_id, isRemoved ? undefined : 'user.erased');
  }
}
