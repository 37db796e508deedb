import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Config } from '../platform/config/index.js';
import { Database } from '../platform/database/index.js';
import { failure } from '../platform/errors/index.js';
import { assetFile, ASSETS } from '../platform/http/index.js';
import { Coalesced, isFirstOrOnly } from 'avatar-chat-runtime';
import {
  type CatalogueCheck,
  CatalogueChecks,
  type LeftoverCheck,
  type CatalogueFault,
  CatalogueFileError,
  formatCatalogueFile,
  parseCatalogueFile,
  IdentityIndex,
  type CatalogueChange,
  type Avatar,
  DEFAULT_PROJECT,
  type Project,
  type ResolvedProject,
  resolveProjects,
  withoutSecrets,
} from 'avatar-chat-catalogue';
import { CatalogueRepository } from './catalogue.repository.js';
import { counted, loggerOf } from '../platform/logging/index.js';

type CatalogueApplied = Record<'avatars' | 'languages' | 'projects', number> & { changed: boolean };

/** The catalogue that fills an empty database by default. */
const SHIPPED = join(ASSETS, '..', 'catalogue', 'default.json');
/** How often the service polls for changes by other processes, in milliseconds. */
const REFRESH_MS = 1000;
/** The catalogue is loaded this often though its revision is the same: its last change may have been interrupted. */
const RELOAD_MS = 60_000;
/** A change in progress for longer than this was interrupted by a crash, in milliseconds. */
const ABANDONED_MS = 10_000;

/**
 * Projects, avatars, languages and settings, cached in memory. The database is polled once a second for changes, and
 * queried for projects that are not cached, since another process may just have added them.
 */
@Injectable()
export class CatalogueService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = loggerOf(CatalogueService.name);
  private resolvedProjects: ReadonlyMap<string, ResolvedProject> = new Map();
  private identities = new IdentityIndex([]);
  private revision?: string;
  private timers: NodeJS.Timeout[] = [];
  private pendingId?: string;
  private readonly refreshes = new Coalesced(() => this.loadIfChanged());
  /** Loads that have begun, and the latest of those that have ended. */
  private loads = { begun: 0, ended: 0 };
  private readonly checks = new CatalogueChecks();

  constructor(
    private readonly repository: CatalogueRepository,
    private readonly config: Config,
    database: Database,
    host: HttpAdapterHost,
  ) {
    database.onReady(async () => {
      await repository.completePending();
      if (await repository.isEmpty()) await this.fill();
      await this.load();
      // Once: neither by each worker nor by each command.
      if (config.production && host.httpAdapter && isFirstOrOnly()) this.warnOfOpenProjects();
    });
  }

  /** @internal */
  onApplicationBootstrap(): void {
    const every = (ms: number, work: () => Promise<void>) =>
      setInterval(() => void work().catch(() => undefined), ms).unref();
    this.timers = [
      every(REFRESH_MS, () => this.refresh()),
      every(RELOAD_MS, () => this.load()),
      every(ABANDONED_MS, () => this.completeAbandoned()),
    ];
  }

  /** @internal */
  onApplicationShutdown(): void {
    for (const timer of this.timers) clearInterval(timer);
  }

  /** Registers a check of catalogue changes, by the module that knows what an entry means. Call it in a constructor. */
  addCheck(check: CatalogueCheck): void {
    this.checks.add(check);
  }

  /**
   * Registers a check of the names of new projects, by the module that keeps data of projects. Call it in a
   * constructor.
   */
  addLeftoverCheck(check: LeftoverCheck): void {
    this.checks.addOfLeftovers(check);
  }

  /** @returns undefined if there is no such project */
  async findResolvedProject(project_id: string): Promise<ResolvedProject | undefined> {
    const known = this.resolvedProjects.get(project_id);
    if (known || !(await this.repository.hasProject(project_id))) return known;
    await this.load();
    return this.resolvedProjects.get(project_id);
  }

  /**
   * The project of a verified token. @throws ServiceError `service_unavailable` if it has been removed in the meantime
   */
  async resolvedProject(project_id: string): Promise<ResolvedProject> {
    const resolved = await this.findResolvedProject(project_id);
    if (!resolved) throw failure('service_unavailable');
    return resolved;
  }

  async findProject(project_id: string): Promise<Project | undefined> {
    return (await this.findResolvedProject(project_id))?.project;
  }

  /** The cached project; undefined for one that another process has just added. */
  knownProject(project_id: string): Project | undefined {
    return this.resolvedProjects.get(project_id)?.project;
  }

  async hasProject(project_id: string): Promise<boolean> {
    return (await this.findResolvedProject(project_id)) !== undefined;
  }

  /** Those of these projects that exist at this moment, by the database. */
  existing(project_ids: readonly string[]): Promise<ReadonlySet<string>> {
    return this.repository.existing(project_ids);
  }

  /**
   * The projects that a token with these claims may belong to, from the cache; without claims, for a token that is not
   * a JWT.
   *
   * @throws ServiceError `service_unavailable` before the catalogue is loaded
   */
  projectsOfToken(claims?: Readonly<Record<string, unknown>>): readonly Project[] {
    if (!this.isLoaded) throw failure('service_unavailable');
    return this.identities.find(claims);
  }

  /** Whether any project may have an identity provider, from the cache. */
  get hasIdentities(): boolean {
    return !this.isLoaded || this.identities.size > 0;
  }

  /** Whether any project has a webhook, from the cache. */
  get hasWebhooks(): boolean {
    return [...this.resolvedProjects.values()].some(({ project }) => Boolean(project.webhooks?.length));
  }

  /** Those that any project offers, from the cache. */
  avatars(): ReadonlySet<Avatar> {
    return new Set([...this.resolvedProjects.values()].flatMap(({ avatars }) => avatars));
  }

  async listProjects(): Promise<readonly Project[]> {
    return (await this.repository.read()).projects;
  }

  /**
   * Adds a project that offers what the default project offers. Its webhooks and identity provider are not copied; in
   * place of a provider, it has the policy `verified`.
   *
   * @param keepMessages lets the project take over the messages of a removed project of that name
   * @returns undefined if a project of that name exists
   * @throws ServiceError `project_has_messages`
   */
  async addProject(project_id: string, { keepMessages = false } = {}): Promise<Project | undefined> {
    const { projects } = await this.repository.read();
    const template = projects.find((project) => project.project_id === DEFAULT_PROJECT);
    if (!template || projects.some((project) => project.project_id === project_id)) return undefined;
    // A new owner of the name must not get the former project's data.
    if (!keepMessages && (await this.checks.leftovers([project_id])).size > 0) throw failure('project_has_messages');
    const { webhooks: _, identity, ...resolved } = withoutSecrets(template);
    // Without the provider, a closed project would have no tokens at all, and the provider's users no protection.
    const token_policy = identity ? 'verified' : template.token_policy;
    const added = await this.repository.insertProject({ ...resolved, project_id, token_policy });
    await this.load();
    return added ? this.findProject(project_id) : undefined;
  }

  /** Keeps its messages. @returns false if there is no such project, or it is the default one, which always exists */
  async removeProject(project_id: string): Promise<boolean> {
    const removed = project_id !== DEFAULT_PROJECT && (await this.repository.removeProject(project_id));
    await this.load();
    return removed;
  }

  /**
   * Applies a catalogue file: all of it, or nothing.
   *
   * @param seen the {@link readRevision} that it is a change of; omitted: any
   * @returns how many of each it named, and whether anything is different now
   * @throws CatalogueFileError with every fault and its path
   * @throws ServiceError `catalogue_changed`
   */
  async apply(text: string, seen?: string): Promise<CatalogueApplied> {
    const before = await this.repository.read();
    const change = await this.checks.read(text, before);
    await this.repository.write(change, seen);
    await this.load();
    await this.warnOfMissingAssets(change);
    const changed = !isDeepStrictEqual(await this.repository.read(), before);
    const { avatars, languages, projects } = change;
    return { avatars: avatars.length, languages: languages.length, projects: projects.length, changed };
  }

  /** The faults that {@link apply} would report for a catalogue file. Changes nothing. */
  async check(text: string): Promise<readonly CatalogueFault[]> {
    try {
      await this.checks.read(text, await this.repository.read());
      return [];
    } catch (error) {
      if (error instanceof CatalogueFileError) return error.faults;
      throw error;
    }
  }

  /** Another text after every change; read it before the catalogue. */
  async readRevision(): Promise<string> {
    return (await this.repository.revision()) ?? '';
  }

  /** The catalogue as a file that {@link apply} takes. */
  async export(): Promise<string> {
    return formatCatalogueFile(await this.repository.read());
  }

  /** There always is the default project. */
  private get isLoaded(): boolean {
    return this.resolvedProjects.size > 0;
  }

  private async fill(): Promise<void> {
    const text = await readFile(this.config.catalogueFile ?? SHIPPED, 'utf8').catch(() => {
      throw new CatalogueFileError([{ place: 'CATALOGUE_FILE', problem: 'cannot be read' }]);
    });
    const { projects } = parseCatalogueFile(text, { avatars: [], languages: [], projects: [] });
    if (!projects.some(({ project_id }) => project_id === DEFAULT_PROJECT)) {
      throw new CatalogueFileError([{ place: 'projects', problem: `must have one named ${DEFAULT_PROJECT}` }]);
    }
    await this.apply(text);
    this.logger.log('The database was empty and has been given the catalogue of CATALOGUE_FILE');
  }

  /** Not a fault: a proxy may serve them, or they are copied later. */
  private async warnOfMissingAssets({ avatars, languages }: CatalogueChange): Promise<void> {
    const urls = new Set(languages.map(({ icon_url }) => icon_url));
    for (const { previewIcons, startButtonIcon, idleVideo } of avatars)
      for (const url of [...Object.values(previewIcons), startButtonIcon, idleVideo]) urls.add(url);
    const missing: string[] = [];
    for (const url of urls) {
      const file = assetFile(url);
      if (
        file &&
        !(await access(file).then(
          () => true,
          () => false,
        ))
      )
        missing.push(url);
    }
    if (missing.length > 0) this.logger.warn(`No file under assets/ for: ${listed(missing)}`);
  }

  private warnOfOpenProjects(): void {
    const open = [...this.resolvedProjects.values()].filter(({ project }) => project.token_policy === 'open');
    if (open.length === 0) return;
    const names = listed(open.map(({ project }) => project.project_id));
    this.logger.warn(
      `Anyone who asks gets a token (token_policy open) in ${counted(open.length, 'project')}: ${names}`,
    );
  }

  /** Loads what other processes changed before the call. Concurrent callers share one query. */
  refresh(): Promise<void> {
    return this.refreshes.get([]);
  }

  /** Completes a change that was already in progress at the previous call. */
  async completeAbandoned(): Promise<void> {
    const pendingId = await this.repository.pendingId();
    if (pendingId !== undefined && pendingId === this.pendingId) await this.repository.completePending();
    this.pendingId = pendingId;
  }

  private async loadIfChanged(): Promise<void> {
    if ((await this.repository.revision()) !== this.revision) await this.load();
  }

  /** @internal Reads the revision first: changes made during the read are loaded at the next poll. */
  async load(): Promise<void> {
    const number = ++this.loads.begun;
    const revision = await this.repository.revision();
    const catalogue = await this.repository.read();
    // One that began later has ended before.
    if (number < this.loads.ended) return;
    this.loads.ended = number;
    this.resolvedProjects = resolveProjects(catalogue);
    this.identities = new IdentityIndex(catalogue.projects);
    this.revision = revision;
  }
}

/** At most ten names. */
function listed(names: readonly string[]): string {
  return names.slice(0, 10).join(', ') + (names.length > 10 ? ', …' : '');
}
