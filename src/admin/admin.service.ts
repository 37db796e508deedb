import { Injectable } from '@nestjs/common';
import { Owner } from '../auth/index.js';
import {
  type CatalogueFault,
  CatalogueService,
  DEFAULT_PROJECT,
  EVENT_TYPES,
  type Project,
} from '../catalogue/index.js';
import { type Message, MessageArchive } from '../messages/index.js';
import { Clock, Config } from '../platform/config/index.js';
import { SessionRepository } from '../connection/index.js';
import { Erasures } from '../erasures/index.js';
import { Events, OutboxRepository } from '../events/index.js';
import { failure, ServiceError } from '../platform/errors/index.js';
import { WebhooksService } from '../webhooks/index.js';
import type { Statistics } from './admin.dto.js';

const DAY = 86_400_000;
/** What else than an erasure webhooks may hear of a user. */
const OTHER_EVENTS = EVENT_TYPES.filter((type) => type !== 'user.erased');
/** How long counting may take, in milliseconds. */
const COUNT_TIMEOUT = 10_000;

/** A project as operators see it. */
type ShownProject = Omit<Project, 'epoch'>;

/** What operators do, by the command line or over HTTP. */
@Injectable()
export class AdminService {
  constructor(
    private readonly catalogue: CatalogueService,
    private readonly archive: MessageArchive,
    private readonly sessions: SessionRepository,
    private readonly outbox: OutboxRepository,
    private readonly erasures: Erasures,
    private readonly events: Events,
    private readonly webhooks: WebhooksService,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  /** Identifiers of the projects. */
  async listProjects(): Promise<string[]> {
    return (await this.catalogue.listProjects()).map(({ project_id }) => project_id);
  }

  /**
   * A project with its key, and its webhooks with the secrets that the service made for them.
   *
   * @throws ServiceError `project_not_found`
   */
  async showProject(project_id: string): Promise<ShownProject> {
    const project = await this.catalogue.findProject(project_id);
    if (!project) throw failure('unknown_project');
    const { epoch: _, ...shown } = project;
    return project.webhooks?.length ? { ...shown, webhooks: this.webhooks.withSecrets(project) } : shown;
  }

  /**
   * @param keepMessages gives it the messages that a removed project of that name has left
   * @throws ServiceError `project_exists`, `project_has_messages`
   */
  async addProject(project_id: string, keepMessages = false): Promise<ShownProject> {
    if (!(await this.catalogue.addProject(project_id, { keepMessages }))) throw failure('project_exists');
    return this.showProject(project_id);
  }

  /** Its messages stay. @throws ServiceError `project_not_found`, `default_project` */
  async removeProject(project_id: string): Promise<void> {
    if (project_id === DEFAULT_PROJECT) throw failure('default_project');
    // Before as well: if this breaks off, it is how sweeps find what is left.
    await this.erasures.mark({ project_id });
    if (!(await this.catalogue.removeProject(project_id))) throw failure('unknown_project');
    // What is in progress in any process stores nothing more, and nobody is left to be told.
    await this.erasures.mark({ project_id });
    await this.sessions.eraseProject(project_id);
    await this.outbox.eraseProject(project_id);
  }

  /** How many messages there are of a project, also of one that was removed; undefined where counting takes too long. */
  async countMessages(project_id: string): Promise<number | undefined> {
    const counts = await this.archive.count(project_id, 0, COUNT_TIMEOUT).catch(() => undefined);
    return counts?.messages;
  }

  /**
   * Removes a project where it is there, then erases what its users have stored. Where it fails midway, doing it again
   * finishes it.
   *
   * @returns how many messages there were
   * @throws ServiceError `project_not_found` where there is neither such a project nor anything to erase, `default_project`
   */
  async eraseProject(project_id: string): Promise<{ messages: number }> {
    const isThere = (await this.archive.someUser(project_id)) !== undefined;
    await this.removeProject(project_id).catch((error: unknown) => {
      if (!(isThere && error instanceof ServiceError && error.code === 'project_not_found')) throw error;
    });
    await this.erasures.mark({ project_id, erased: true });
    let messages = 0;
    for (let user_id; (user_id = await this.archive.someUser(project_id)) !== undefined;)
      messages += (await this.eraseUser(new Owner(project_id, user_id))).messages;
    return { messages };
  }

  /** As {@link CatalogueService.export}. */
  exportCatalogue(): Promise<string> {
    return this.catalogue.export();
  }

  /** As {@link CatalogueService.apply}. */
  applyCatalogue(text: string): Promise<{ avatars: number; languages: number; projects: number }> {
    return this.catalogue.apply(text);
  }

  /** As {@link CatalogueService.check}. */
  checkCatalogue(text: string): Promise<readonly CatalogueFault[]> {
    return this.catalogue.check(text);
  }

  /**
   * Counts what a project has had in so many days. What takes longer than 10 s fails as an unavailable database does.
   *
   * @throws ServiceError `project_not_found`
   */
  async statistics(project_id: string, days: number): Promise<Statistics> {
    await this.demandProject(project_id);
    const now = this.clock.now();
    const since = now - days * DAY;
    const [counts, sessions] = await Promise.all([
      this.archive.count(project_id, since, COUNT_TIMEOUT),
      this.sessions.count(project_id, new Date(now), COUNT_TIMEOUT),
    ]);
    return { since, ...counts, sessions };
  }

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
    await this.outbox.eraseAll(owner, (ids) => this.archive.existing(owner, ids));
    if (messages + sessions === 0) await this.demandProject(owner.project_id);
    const { project_id, user_id } = owner;
    // Last of all that webhooks hear of the user, so after what may be on its way to them at this moment.
    const told = await Promise.all(OTHER_EVENTS.map((type) => this.events.hasSubscriber(type, project_id)));
    const delayMs = told.includes(true) ? (this.config.webhookTimeoutSeconds + 1) * 1000 : 0;
    await this.events.publish('user.erased', { project_id, user_id, messages, sessions }, delayMs);
    return { messages, sessions };
  }

  private async demandProject(project_id: string): Promise<void> {
    if (!(await this.catalogue.hasProject(project_id))) throw failure('unknown_project');
  }
}
