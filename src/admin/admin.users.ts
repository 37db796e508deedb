import { Injectable } from '@nestjs/common';
import { Owner } from '../auth/index.js';
import { ErasureService } from '../erasure/index.js';
import { Events } from '../events/index.js';
import { Memories } from '../memory/index.js';
import { MessageArchive, type UserSummary } from '../messages/index.js';
import { collect } from 'avatar-chat-runtime';
import { AdminService, type ExportLine } from './admin.service.js';

/** Maximum number of users that a search returns. */
const MAX_FOUND = 1000;
/** Time limit of a search, in milliseconds. */
const SEARCH_TIMEOUT_MS = 10_000;

/** Operations on all users of a project, also of a removed one as long as it has data left. */
@Injectable()
export class AdminUsers {
  constructor(
    private readonly admin: AdminService,
    private readonly archive: MessageArchive,
    private readonly erasure: ErasureService,
    private readonly events: Events,
    private readonly memories: Memories,
  ) {}

  /**
   * The users who have messages, ordered by identifier.
   *
   * @throws ServiceError `project_not_found`
   */
  list(project_id: string): AsyncGenerator<UserSummary> {
    return this.admin.orNoProject(project_id, this.archive.listUsers(project_id));
  }

  /**
   * As {@link list}, at most 1,000. Fails like an unavailable database if it takes more than 10 s.
   *
   * @param search part of the identifier, case-insensitive
   */
  async search(project_id: string, search?: string): Promise<UserSummary[]> {
    const filter = { search, limit: MAX_FOUND, timeout: SEARCH_TIMEOUT_MS };
    return collect(this.admin.orNoProject(project_id, this.archive.listUsers(project_id, filter)));
  }

  /**
   * All messages, grouped by user, oldest first, then what is remembered of users.
   *
   * @throws ServiceError `project_not_found`
   */
  export(project_id: string): AsyncGenerator<ExportLine> {
    const { archive, memories } = this;
    async function* lines(): AsyncGenerator<ExportLine> {
      yield* archive.exportProject(project_id);
      yield* memories.export(project_id);
    }
    return this.admin.orNoProject(project_id, lines());
  }

  /**
   * Erases every user like {@link AdminService.eraseUser}, and the sessions and webhook events of users without
   * messages. If it fails midway, running it again completes it.
   *
   * @returns how many there were
   * @throws ServiceError `project_not_found` if there is neither anything to erase nor such a project
   */
  async eraseAll(project_id: string): Promise<{ users: number; messages: number; sessions: number }> {
    const erased = { users: 0, messages: 0, sessions: 0 };
    // A single pass, so that it ends even while users keep talking.
    for (let user_id: string | undefined = ''; (user_id = await this.archive.nextUser(project_id, user_id));) {
      const { messages, sessions } = await this.admin.eraseUser(new Owner(project_id, user_id));
      erased.users++;
      erased.messages += messages;
      erased.sessions += sessions;
    }
    const { sessions = 0 } = await this.erasure.eraseProject(project_id, false);
    erased.sessions += sessions;
    await this.events.emitAndWait('messages.removed', { project_id });
    if (erased.users + erased.sessions === 0) await this.admin.assertProjectExists(project_id);
    return erased;
  }
}
