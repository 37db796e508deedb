import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { type Model, trusted } from 'mongoose';
import { Database, isDatabaseUnavailable } from '../platform/database/index.js';
import { failure } from '../platform/errors/index.js';
import { CatalogueJournal, type PendingChange } from './catalogue.journal.js';
import { AvatarDocument, CatalogueRevisionDocument, LanguageDocument, ProjectDocument } from './catalogue.schemas.js';
import {
  type Catalogue,
  DEFAULT_SETTINGS,
  type CatalogueChange,
  type ProjectChange,
  newEpoch,
  newKey,
} from 'avatar-chat-catalogue';
import { avatarWrite, languageWrite, projectWrites } from './catalogue.writes.js';

const REVISION = 'catalogue';
/** Attempts to start a change while others are in progress. */
const ATTEMPTS = 20;

@Injectable()
export class CatalogueRepository {
  constructor(
    private readonly database: Database,
    private readonly journal: CatalogueJournal<CatalogueChange>,
    @InjectModel(AvatarDocument.name) private readonly avatars: Model<AvatarDocument>,
    @InjectModel(LanguageDocument.name) private readonly languages: Model<LanguageDocument>,
    @InjectModel(ProjectDocument.name) private readonly projects: Model<ProjectDocument>,
    @InjectModel(CatalogueRevisionDocument.name) private readonly revisions: Model<CatalogueRevisionDocument>,
  ) {}

  /** Changes with every change of the catalogue; undefined before the first. */
  async revision(): Promise<string | undefined> {
    return (await this.database.run(() => this.revisions.findById(REVISION).lean()))?.revision;
  }

  async hasProject(project_id: string): Promise<boolean> {
    return (await this.database.run(() => this.projects.exists({ _id: project_id }))) !== null;
  }

  /** Those of these projects that exist. */
  async existing(project_ids: readonly string[]): Promise<ReadonlySet<string>> {
    const these = { _id: trusted({ $in: [...project_ids] }) };
    const found = await this.database.run(() => this.projects.find(these).select({ _id: 1 }).lean());
    return new Set(found.map(({ _id }) => _id));
  }

  async isEmpty(): Promise<boolean> {
    return (await this.database.run(() => this.projects.exists({}))) === null;
  }

  async read(): Promise<Catalogue> {
    const [avatars, languages, projects] = await this.database.run(() =>
      Promise.all([
        this.avatars.find().sort({ _id: 1 }).lean(),
        this.languages.find().sort({ _id: 1 }).lean(),
        this.projects.find().sort({ _id: 1 }).lean(),
      ]),
    );
    return {
      avatars,
      languages: languages.map(({ _id, name, icon_url }) => ({ name, language_code: _id, icon_url })),
      projects: projects.map(({ _id, settings, ...project }) => ({
        project_id: _id,
        ...project,
        settings: { ...DEFAULT_SETTINGS, ...settings },
      })),
    };
  }

  /**
   * Replaces the named entries and leaves the rest. Entries are written before what refers to them, and the revision
   * last, so that no reader meets a dangling reference. If the database rejects a write twice, the change is undone.
   * After a crash, or if the database becomes unavailable midway, {@link completePending} completes the change.
   *
   * @param seen the revision that it is a change of; omitted: any
   * @throws ServiceError `service_unavailable` while too many others change the catalogue, `catalogue_changed`
   */
  async write(change: CatalogueChange, seen?: string): Promise<void> {
    const pending = { id: newRevision(), change, seen };
    const { id } = pending;
    const undo = await this.begin(pending);
    if (!(await this.isAdmitted(pending))) throw failure('catalogue_changed');
    try {
      await this.replaceTwice(change);
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      // If the journal entry is gone, another process has completed the change.
      if (!(await this.journal.remove(id))) return;
      await undo().catch(() => undefined);
      throw error;
    }
    await this.end(id);
  }

  /** The identifier of a change that is in progress or was interrupted. */
  pendingId(): Promise<string | undefined> {
    return this.journal.pendingId();
  }

  /** Completes the change in progress. If its own process is still alive, both write the same. */
  async completePending(): Promise<void> {
    const pending = await this.journal.read();
    if (!pending) return;
    if (!(await this.isAdmitted(pending))) return;
    try {
      await this.replaceTwice(pending.change);
    } catch (error) {
      // A change that cannot be completed must not block every start.
      if (!isDatabaseUnavailable(error)) await this.journal.remove(pending.id);
      throw error;
    }
    await this.end(pending.id);
  }

  /** @returns a function that undoes the change */
  private async begin(pending: PendingChange<CatalogueChange>): Promise<() => Promise<void>> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      await this.completePending();
      const undo = await this.remember(pending.change);
      if (await this.journal.add(pending)) return undo;
    }
    throw failure('service_unavailable');
  }

  /** Drops a change of an earlier revision, unless its writes have begun. Another process may have completed it. */
  private async isAdmitted({ id, seen }: PendingChange<CatalogueChange>): Promise<boolean> {
    if (seen === undefined) return true;
    const revision = await this.revision();
    if (revision === seen || revision === id) await this.journal.admit(id);
    else await this.journal.remove(id);
    return revision === seen || revision === id;
  }

  /** Another process may have completed it long ago: then a newer change has set the revision. */
  private async end(id: string): Promise<void> {
    if ((await this.journal.pendingId()) !== id) return;
    await this.touch(id);
    await this.journal.remove(id);
  }

  /** Idempotent; the first attempt may have met another process that added the same. */
  private replaceTwice(change: CatalogueChange): Promise<void> {
    return this.replace(change).catch(() => this.replace(change));
  }

  /**
   * @returns a function that restores the documents named by a change. Referring documents are restored before those
   *   they refer to.
   */
  private async remember({ avatars, languages, projects }: CatalogueChange): Promise<() => Promise<void>> {
    const named = [
      { collection: this.projects.collection, ids: projects.map(({ project_id }) => project_id) },
      { collection: this.languages.collection, ids: languages.map(({ language_code }) => language_code) },
      { collection: this.avatars.collection, ids: avatars.map(({ _id }) => _id) },
    ].filter(({ ids }) => ids.length > 0);
    const before = await Promise.all(
      named.map(async ({ collection, ids }) => {
        const documents = await collection.find({ _id: { $in: ids as never[] } }).toArray();
        const known = new Map(documents.map((document) => [String(document._id), document]));
        return { collection, ids, known };
      }),
    );
    return async () => {
      for (const { collection, ids, known } of before) {
        const back = ids.map((id) => {
          const filter = { _id: id as never };
          const replacement = known.get(id);
          return replacement ? { replaceOne: { filter, replacement, upsert: true } } : { deleteOne: { filter } };
        });
        await collection.bulkWrite(back);
      }
      await this.touch();
    };
  }

  private async replace({ avatars, languages, projects }: CatalogueChange): Promise<void> {
    await this.avatars.bulkWrite(avatars.map(avatarWrite));
    await this.languages.bulkWrite(languages.map(languageWrite));
    await this.projects.bulkWrite(projects.flatMap(projectWrites));
  }

  /**
   * Adds a project in one operation, so that it never replaces one that another process adds at the same time.
   *
   * @returns false if a project of that name exists
   */
  async insertProject({ project_id: _id, ...project }: ProjectChange): Promise<boolean> {
    const $setOnInsert = { ...project, key: newKey(), epoch: newEpoch() };
    const insert = () => this.projects.updateOne({ _id }, { $setOnInsert }, { upsert: true });
    return (await this.touchAround(insert)).upsertedCount > 0;
  }

  /**
   * Changes fields of a project, by path, if other fields still have their expected values.
   *
   * @returns false if they do not, or there is no such project
   */
  async setIf(_id: string, seen: Record<string, unknown>, changes: Record<string, unknown>): Promise<boolean> {
    const conditions = Object.entries(seen).map(([path, value]) => [path, value ?? trusted({ $exists: false })]);
    const filter = { _id, ...Object.fromEntries(conditions) };
    const set = () => this.database.run(() => this.projects.updateOne(filter, { $set: changes }));
    return (await this.touchAround(set)).matchedCount > 0;
  }

  /** @returns false if there is no such project */
  async removeProject(project_id: string): Promise<boolean> {
    return (await this.touchAround(() => this.projects.deleteOne({ _id: project_id }))).deletedCount > 0;
  }

  /** A change that is interrupted after its write is loaded by the other processes too. */
  private async touchAround<T>(write: () => PromiseLike<T>): Promise<T> {
    await this.touch();
    const result = await write();
    await this.touch();
    return result;
  }

  private async touch(revision = newRevision()): Promise<void> {
    await this.revisions.updateOne({ _id: REVISION }, { $set: { revision } }, { upsert: true });
  }
}

function newRevision(): string {
  return randomBytes(12).toString('hex');
}
