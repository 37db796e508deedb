import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { type Model, trusted } from 'mongoose';
import { type Owner, ownerKey } from '../auth/index.js';
import type { ErasureFence, Subject } from '../erasure/index.js';
import { Database, LONGEST_OPERATION_MS } from '../platform/database/index.js';
import { MemoryDocument } from './memory.schema.js';

/** Maximum number of memories of a user. */
export const MAX_MEMORIES = 100;

/** Longer than anything is looked for, and than clocks differ, in milliseconds. */
const MARK_MS = 3_600_000;
const NEWEST_FIRST = { created: -1, _id: -1 } as const;
const IS_MEMORY = { expires_at: trusted({ $exists: false }) };

@Injectable()
export class MemoryRepository {
  constructor(
    private readonly database: Database,
    @InjectModel(MemoryDocument.name) private readonly memories: Model<MemoryDocument>,
  ) {}

  /** Newest first. @param since memories that are older are left out */
  list({ project_id, user_id }: Owner, since: number): Promise<MemoryDocument[]> {
    const theirs = { project_id, user_id, created: trusted({ $gte: since }), ...IS_MEMORY };
    const find = () => this.memories.find(theirs).sort(NEWEST_FIRST).limit(MAX_MEMORIES).lean();
    return this.database.run(find);
  }

  async add(memories: readonly MemoryDocument[]): Promise<void> {
    if (memories.length > 0) await this.database.run(() => this.memories.insertMany(memories));
  }

  /**
   * Marks a user of whom something is looked for: when the user's memories are removed, the mark is.
   *
   * @param mark of the turn @param _id the user's key, of which there is one: their lock
   * @returns false if another turn has the lock, in this process or another one
   */
  addMark({ project_id, user_id }: Owner, mark: string, now: number, _id = mark): Promise<boolean> {
    const end = now + MARK_MS;
    const dates = { created: end, expires_at: new Date(end) };
    // Dated ahead: the index has the newest first, and so a removal of all begins with it.
    return this.addMissing({ _id, project_id, user_id, text: '-', ...dates, holder: mark });
  }

  /** The mark of the turn that has the user's lock. */
  async findHolder(owner: Owner): Promise<string | undefined> {
    const lock = { ...owner, _id: ownerKey(owner) };
    return (await this.database.run(() => this.memories.findOne(lock, { holder: 1 }).lean()))?.holder;
  }

  /** Removes the mark of a turn, and the user's lock if the turn has it. */
  async removeMark(owner: Owner, mark: string): Promise<void> {
    const both = { ...owner, _id: trusted({ $in: [mark, ownerKey(owner)] }), holder: mark };
    await this.database.run(() => this.memories.deleteMany(both));
  }

  async *all(project_id: string, user_id?: string): AsyncGenerator<MemoryDocument> {
    const whose = { project_id, ...(user_id === undefined ? {} : { user_id }), ...IS_MEMORY };
    yield* this.memories
      .find(whose, { begun: 0 })
      .sort({ user_id: 1, created: 1 })
      .maxTimeMS(LONGEST_OPERATION_MS)
      .lean()
      .cursor() as AsyncIterable<MemoryDocument>;
  }

  /** Of any user: for an import, which may bring identifiers of others. */
  find(_id: string): Promise<MemoryDocument | null> {
    return this.database.run(() => this.memories.findOne({ _id }, { begun: 0 }).lean());
  }

  /** @returns whether it was not there */
  addMissing(memory: MemoryDocument): Promise<boolean> {
    return this.database.insert(() => this.memories.insertMany([memory]));
  }

  /** @param ids omitted: all of the user. @returns how many there were */
  async remove({ project_id, user_id }: Owner, ids?: readonly string[]): Promise<number> {
    const which = ids ? { _id: trusted({ $in: [...ids] }) } : {};
    const { deletedCount } = await this.database.run(() => this.memories.deleteMany({ project_id, user_id, ...which }));
    return deletedCount;
  }

  /** Removes the oldest above the maximum. @returns their identifiers */
  async removeOldest({ project_id, user_id }: Owner): Promise<string[]> {
    const theirs = { project_id, user_id, ...IS_MEMORY };
    const find = () => this.memories.find(theirs, { _id: 1 }).sort(NEWEST_FIRST).skip(MAX_MEMORIES).lean();
    const ids = (await this.database.run(find)).map(({ _id }) => _id);
    if (ids.length > 0) await this.remove({ project_id, user_id }, ids);
    return ids;
  }

  /** How many of these, marks included, there are still. */
  count({ project_id, user_id }: Owner, ids: readonly string[]): Promise<number> {
    const these = { project_id, user_id, _id: trusted({ $in: [...ids] }) };
    return this.database.run(() => this.memories.countDocuments(these));
  }

  /** Removes those of a user, or of a whole project, that were stored by work from before an erasure. */
  async removeBefore(whose: Omit<Subject, 'erased'>, erasure: ErasureFence): Promise<void> {
    await this.database.run(() => this.memories.deleteMany({ ...whose, begun: trusted({ $lt: erasure }) }));
  }

  async removeProject(project_id: string, before?: number): Promise<number> {
    const which = before === undefined ? {} : { created: trusted({ $lt: before }) };
    const { deletedCount } = await this.memories.deleteMany({ project_id, ...which }).maxTimeMS(LONGEST_OPERATION_MS);
    return deletedCount;
  }
}
