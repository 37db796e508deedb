import { Injectable } from '@nestjs/common';
import { Owner } from '../auth/index.js';
import { SessionRepository } from '../connection/index.js';
import { Events, OutboxRepository } from '../events/index.js';
import { type Message, MessageArchive, type UserSummary } from '../messages/index.js';
import { collect } from './admin.lines.js';
import { Quality } from '../quality/index.js';
import { AdminService } from './admin.service.js';

/** Users that one search finds. */
const MAX_FOUND = 1000;
/** How long a search may take, in milliseconds. */
const SEARCH_TIMEOUT_MS = 10_000;

/** What operators do with all users of a project, also of one that was removed as long as anything of it is left. */
@Injectable()
export class AdminUsers {
  constructor(
    private readonly admin: AdminService,
    private readonly archive: MessageArchive,
    private readonly sessions: SessionRepository,
    private readonly outbox: OutboxRepository,
    private readonly events: Events,
    private readonly quality: Quality,
  ) {}

  /**
   * The users who have messages, in the order of their identifiers.
   *
   * @throws ServiceError `project_not_found`
   */
  list(project_id: string): AsyncGenerator<UserSummary> {
    return this.admin.orNoProject(project_id, this.archive.listUsers(project_id));
  }

  /**
   * As {@link list}, at most 1,000. Fails as an unavailable database does if it takes more than 10 s.
   *
   * @param search what their identifiers contain, in either case
   */
  async search(project_id: string, search?: string): Promise<UserSummary[]> {
    const filter = { search, limit: MAX_FOUND, timeout: SEARCH_TIMEOUT_MS };
    return collect(this.admin.orNoProject(project_id, this.archive.listUsers(project_id, filter)));
  }

  /**
   * Every message, those of a user together and oldest first.
   *
   * @throws ServiceError `project_not_found`
   */
  export(project_id: string): AsyncGenerator<Message & { project_id: string }> {
    return this.admin.orNoProject(project_id, this.archive.exportProject(project_id));
  }

  /**
   * Erases every user as {@link AdminService.eraseUser} does, and the sessions and webhook events of those without
   * messages. Where it fails midway, doing it again finishes it.
   *
   * @returns how many there were
   * @throws ServiceError `project_not_found` where there is neither anything to erase nor such a project
   */
  async eraseAll(project_id: string): Promise<{ users: number; messages: number; sessions: number }> {
    const erased = { users: 0, messages: 0, sessions: 0 };
    // Once through, so that it ends where users go on talking.
    for (let user_id: string | undefined = ''; (user_id = await this.archive.nextUser(project_id, user_id));) {
      const { messages, sessions } = await this.admin.eraseUser(new Owner(project_id, user_id));
      erased.users++;
      erased.messages += messages;
      erased.sessions += sessions;
    }
    erased.sessions += await this.sessions.eraseProject(project_id);
    await this.outbox.eraseProject(project_id, 'user.erased');
    await this.quality.forget(project_id);
    await this.events.tell('messages.removed', { project_id });
    if (erased.users + erased.sessions === 0) await this.admin.demandProject(project_id);
    return erased;
  }
}
