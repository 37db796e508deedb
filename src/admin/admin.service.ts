import { Injectable } from '@nestjs/common';
import type { Owner } from '../auth/index.js';
import { CatalogueService } from '../catalogue/index.js';
import { type Message, MessageArchive } from '../chat/index.js';
import { SessionRepository } from '../connection/index.js';
import { Events, OutboxRepository } from '../events/index.js';
import { projectNotFound } from './admin.errors.js';

/** What operators do, by the command line or over HTTP. */
@Injectable()
export class AdminService {
  constructor(
    private readonly catalogue: CatalogueService,
    private readonly archive: MessageArchive,
    private readonly sessions: SessionRepository,
    private readonly outbox: OutboxRepository,
    private readonly events: Events,
  ) {}

  /**
   * A user's messages, oldest first. Those of a removed project are still there, so a project that is not is only a
   * mistake where there are none.
   *
   * @throws ServiceError `project_not_found`
   */
  async *exportUser(owner: Owner): AsyncGenerator<Message & { project_id: string }> {
    let isEmpty = true;
    for await (const message of this.archive.export(owner)) {
      isEmpty = false;
      yield message;
    }
    if (isEmpty) await this.demandProject(owner.project_id);
  }

  /**
   * Erases a user's messages, files and sessions, and what webhooks have yet to hear of them; then tells of that. Where
   * it fails midway, doing it again finishes it.
   *
   * @returns how many there were
   * @throws ServiceError `project_not_found` where there is neither anything to erase nor such a project
   */
  async eraseUser(owner: Owner): Promise<{ messages: number; sessions: number }> {
    const messages = await this.archive.erase(owner);
    const sessions = await this.sessions.eraseAll(owner);
    await this.outbox.eraseAll(owner);
    if (messages + sessions === 0) await this.demandProject(owner.project_id);
    const { project_id, user_id } = owner;
    await this.events.publish('user.erased', { project_id, user_id, messages, sessions });
    return { messages, sessions };
  }

  private async demandProject(project_id: string): Promise<void> {
    if (!(await this.catalogue.hasProject(project_id))) throw projectNotFound();
  }
}
