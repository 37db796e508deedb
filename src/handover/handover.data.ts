import { Injectable } from '@nestjs/common';
import type { Owner } from '../auth/index.js';
import { ErasableData, type ErasureFence, type Subject } from '../erasure/index.js';
import { ConversationRepository } from './conversation.repository.js';

@Injectable()
export class HandoverData extends ErasableData {
  readonly name = 'conversations';

  constructor(private readonly repository: ConversationRepository) {
    super();
  }

  override eraseUser({ project_id, user_id }: Owner, erasure: ErasureFence): Promise<void> {
    return this.repository.removeBefore({ project_id, user_id }, erasure);
  }

  override eraseProject(project_id: string): Promise<void> {
    return this.repository.removeProject(project_id);
  }

  override eraseLeftovers(subject: Subject, erasure: ErasureFence): Promise<void> {
    return this.repository.removeBefore(subject, erasure);
  }
}
