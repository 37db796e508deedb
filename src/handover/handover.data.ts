import { Injectable } from '@nestjs/common';
import type { Owner } from '../auth/index.js';
import { ErasableData, type ErasureFence, type Subject } from '../erasure/index.js';
import { SignalRepository } from '../events/index.js';
import { ConversationRepository } from './conversation.repository.js';

@Injectable()
export class HandoverData extends ErasableData {
  readonly name = 'conversations';

  constructor(
    private readonly repository: ConversationRepository,
    private readonly signals: SignalRepository,
  ) {
    super();
  }

  override eraseUser({ project_id, user_id }: Owner, erasure: ErasureFence): Promise<void> {
    return this.eraseLeftovers({ project_id, user_id }, erasure);
  }

  override eraseProject(project_id: string): Promise<void> {
    return this.eraseLeftovers({ project_id }, Infinity);
  }

  override async eraseLeftovers(subject: Subject, erasure: ErasureFence): Promise<void> {
    await this.repository.removeBefore(subject, erasure);
    await this.signals.remove(subject);
  }
}
