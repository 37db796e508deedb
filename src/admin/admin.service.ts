import { Injectable } from '@nestjs/common';
import { Owner } from '../auth/index.js';
import { type CatalogueFault, DEFAULT_PROJECT, type Project } from 'avatar-chat-catalogue';
import { withToolSecrets } from 'avatar-chat-models';
import { CatalogueService, ProjectSecrets } from '../catalogue/index.js';
import { type Message, MessageArchive } from '../messages/index.js';
import { Clock, Config } from '../platform/config/index.js';
import { SessionRepository } from '../connection/index.js';
import { ErasureFences, ErasureService } from '../erasure/index.js';
import { Events } from '../events/index.js';
import { failure, ServiceError } from '../platform/errors/index.js';
import { type ExportedMemory, Memories, type Memory } from '../memory/index.js';
import { type Delivery, WebhooksService } from '../webhooks/index.js';
import type { Statistics } from './admin.dto.js';
import { collect } from 'avatar-chat-runtime';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Time limit of the count, in milliseconds. */
const COUNT_TIMEOUT_MS = 10_000;
/** Maximum number of deliveries in one listing. */
const MAX_DELIVERIES = 1000;

/** A project as operators see it, with the expiry of its former keys. */
type ShownProject = Omit<Project, 'epoch' | 'previous_keys' | 'webhook_key' | 'webhook_secrets'> & {
  previous_keys?: { until: number }[];
};

/** A line of an export. */
export type ExportLine = (Message & { project_id: string }) | { memory: ExportedMemory };

/** Operations for operators, shared by the command line and the HTTP API. */
@Injectable()
export class AdminService {
  constructor(
    private readonly catalogue: CatalogueService,
    private readonly secrets: ProjectSecrets,
    private readonly archive: MessageArchive,
    private readonly sessions: SessionRepository,
    private readonly erasure: ErasureService,
    private readonly fences: ErasureFences,
    private readonly events: Events,
    private readonly webhooks: WebhooksService,
    private readonly memories: Memories,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  /** Identifiers of the projects. */
  async listProjects(): Promise<string[]> {
    return (await this.catalogue.listProjects()).map(({ project_id }) => project_id);
  }

  /**
   * A project with its key, and its webhooks and webhook tools with their generated secrets.
   *
   * @throws ServiceError `project_not_found`
   */
  async showProject(project_id: string): Promise<ShownProject> {
    const project = await this.catalogue.findProject(project_id);
    if (!project) throw failure('unknown_project');
    const { epoch: _, webhook_key: __, webhook_secrets: ___, previous_keys = [], ...shown } = project;
    const valid = previous_keys.filter(({ until }) => until > this.clock.now()).map(({ until }) => ({ until }));
    return {
      ...shown,
      ...(valid.length > 0 ? { previous_keys: valid } : {}),
      ...(project.webhooks?.length ? { webhooks: this.webhooks.withSecrets(project) } : {}),
      ...(project.webhook_tools?.length ? { webhook_tools: withToolSecrets(project) } : {}),
    };
  }

  /**
   * @param keepMessages lets the project take over the messages of a removed project of that name
   * @throws ServiceError `project_exists`, `project_has_messages`
   */
  async addProject(project_id: string, keepMessages = false): Promise<ShownProject> {
    if (!(await this.catalogue.addProject(project_id, { keepMessages }))) throw failure('project_exists');
    return this.showProject(project_id);
  }

  /**
   * Gives a project a new key. Until the grace period ends, the old one is valid as well.
   *
   * @returns the key
   * @throws ServiceError `project_not_found`
   */
  async rotateKey(project_id: string, graceHours: number): Promise<string> {
    const key = await this.secrets.rotateKey(project_id, graceHours * HOUR_MS);
    if (key === undefined) throw failure('unknown_project');
    return key;
  }

  /** Keeps its messages. @throws ServiceError `project_not_found`, `default_project` */
  async removeProject(project_id: string): Promise<void> {
    if (project_id === DEFAULT_PROJECT) throw failure('default_project');
    // Mark before removing as well: if this process fails midway, sweeps find the leftovers by the mark.
    await this.fences.mark({ project_id });
    if (!(await this.catalogue.removeProject(project_id))) throw failure('unknown_project');
    // Work in progress in any process stores nothing more, and there is no webhook left to notify.
    await this.fences.mark({ project_id });
    await this.erasure.eraseProject(project_id, true);
  }

  /** Number of messages of a project, also of a removed one; undefined if counting takes too long. */
  async countMessages(project_id: string): Promise<number | undefined> {
    const counts = await this.archive.count(project_id, 0, COUNT_TIMEOUT_MS).catch(() => undefined);
    return counts?.messages;
  }

  /**
   * Removes a project if it exists, then erases what its users have stored. If it fails midway, running it again
   * completes it.
   *
   * @returns how many messages there were
   * @throws ServiceError `project_not_found` if there is neither such a project nor anything to erase,
   *   `default_project`
   */
  async eraseProject(project_id: string): Promise<{ messages: number }> {
    const isThere = (await this.archive.someUser(project_id)) !== undefined;
    await this.removeProject(project_id).catch((error: unknown) => {
      if (!(isThere && error instanceof ServiceError && error.code === 'project_not_found')) throw error;
    });
    await this.fences.mark({ project_id, erased: true });
    let messages = 0;
    for (let user_id; (user_id = await this.archive.someUser(project_id)) !== undefined;)
      messages += (await this.eraseUser(new Owner(project_id, user_id))).messages;
    await this.events.emitAndWait('messages.removed', { project_id });
    return { messages };
  }

  /** The newest deliveries to a project's webhooks, at most 1,000, newest first. @throws ServiceError `project_not_found` */
  async listDeliveries(project_id: string): Promise<Delivery[]> {
    return collect(this.orNoProject(project_id, this.webhooks.log(project_id, MAX_DELIVERIES)));
  }

  /**
   * Tries deliveries of a project again: one, by its id in the log, or all that are dead or have failed.
   *
   * @returns how many there were
   * @throws ServiceError `project_not_found`, `delivery_not_found`
   */
  async retryDeliveries(project_id: string, id?: string): Promise<number> {
    await this.assertProjectExists(project_id);
    if (id === undefined) return this.webhooks.retryAll(project_id);
    if (!(await this.webhooks.retry(id, project_id))) throw failure('delivery_not_found');
    return 1;
  }

  /**
   * Gives a webhook a new secret. The former one also signs for a day.
   *
   * @throws ServiceError `project_not_found`, `webhook_not_found`, `secret_in_variable`
   */
  async rotateWebhookSecret(project_id: string, name: string): Promise<{ secret: string }> {
    await this.assertProjectExists(project_id);
    const rotated = await this.webhooks.rotateSecret(project_id, name);
    if (rotated === 'none') throw failure('webhook_not_found');
    if (rotated === 'variable') throw failure('secret_in_variable');
    return rotated;
  }

  /** See {@link CatalogueService.export}. */
  exportCatalogue(): Promise<string> {
    return this.catalogue.export();
  }

  /** See {@link CatalogueService.readRevision}. */
  readRevision(): Promise<string> {
    return this.catalogue.readRevision();
  }

  /** See {@link CatalogueService.apply}. */
  applyCatalogue(text: string, seen?: string): ReturnType<CatalogueService['apply']> {
    return this.catalogue.apply(text, seen);
  }

  /** See {@link CatalogueService.check}. */
  checkCatalogue(text: string): Promise<readonly CatalogueFault[]> {
    return this.catalogue.check(text);
  }

  /**
   * Counts a project's messages, users and turns of the given number of days. Fails like an unavailable database if it
   * takes more than 10 s.
   *
   * @throws ServiceError `project_not_found`
   */
  async statistics(project_id: string, days: number): Promise<Statistics> {
    await this.assertProjectExists(project_id);
    const now = this.clock.now();
    const since = now - days * DAY_MS;
    const [counts, sessions] = await Promise.all([
      this.archive.count(project_id, since, COUNT_TIMEOUT_MS),
      this.sessions.count(project_id, new Date(now), COUNT_TIMEOUT_MS),
    ]);
    return { since, ...counts, sessions };
  }

  /**
   * A user's messages, oldest first, then what is remembered of the user. Messages of a removed project can still be read, so an unknown project is only an
   * error if it has no messages.
   *
   * @throws ServiceError `project_not_found`
   */
  exportUser(owner: Owner, withMemories = true): AsyncGenerator<ExportLine> {
    const { archive, memories } = this;
    async function* lines(): AsyncGenerator<ExportLine> {
      yield* archive.export(owner);
      if (withMemories) yield* memories.export(owner.project_id, owner.user_id);
    }
    return this.orNoProject(owner.project_id, lines());
  }

  /** What is remembered of a user, newest first. @throws ServiceError `project_not_found` */
  async listMemories(owner: Owner): Promise<Memory[]> {
    await this.assertProjectExists(owner.project_id);
    return this.memories.list(owner);
  }

  /** @throws ServiceError `project_not_found` */
  async removeMemories(owner: Owner): Promise<void> {
    await this.assertProjectExists(owner.project_id);
    await this.memories.eraseUser(owner);
  }

  /**
   * Reads data of a project that may have been removed. @throws ServiceError `project_not_found` if there is neither
   * data nor such a project
   */
  async *orNoProject<T>(project_id: string, items: AsyncIterable<T>): AsyncGenerator<T> {
    let isEmpty = true;
    for await (const item of items) {
      isEmpty = false;
      yield item;
    }
    if (isEmpty) await this.assertProjectExists(project_id);
  }

  /**
   * Erases everything that is stored of a user, then emits `user.erased`. If it fails midway, running it again completes
   * it.
   *
   * @returns how many there were
   * @throws ServiceError `project_not_found` if there is neither anything to erase nor such a project
   */
  async eraseUser(owner: Owner): Promise<{ messages: number; sessions: number }> {
    const { messages = 0, sessions = 0 } = await this.erasure.eraseUser(owner);
    if (messages + sessions === 0) await this.assertProjectExists(owner.project_id);
    const { project_id, user_id } = owner;
    await this.events.emitAndWait('messages.removed', { project_id, user_id });
    // Must be the last event about the user that webhooks get, so it is delayed past deliveries in flight.
    const { webhooks = [] } = (await this.catalogue.findProject(project_id)) ?? {};
    const isTold = webhooks.some(({ events }) => events === undefined || events.some((type) => type !== 'user.erased'));
    const delayMs = isTold ? (this.config.webhookTimeoutSeconds + 1) * 1000 : 0;
    await this.events.publish('user.erased', { project_id, user_id, messages, sessions }, delayMs);
    return { messages, sessions };
  }

  /** @throws ServiceError `project_not_found` */
  async assertProjectExists(project_id: string): Promise<void> {
    if (!(await this.catalogue.hasProject(project_id))) throw failure('unknown_project');
  }
}
