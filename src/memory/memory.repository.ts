import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { type Model, trusted, Types } from 'mongoose';
import type { Owner } from '../auth/index.js';
import { Database, LONGEST_OPERATION_MS } from '../platform/database/index.js';
import { MemoryDocument } from './memory.schema.js';

/** Maximum number of memories of a user. */
export const MAX_MEMORIES = 100;

export const newMemoryId = (): string => new Types.ObjectId().toHexString();

@Injectable()
export class MemoryRepository {
  constructor(
    private readonly database: Database,
    @InjectModel(MemoryDocument.name) private readonly memories: Model<MemoryDocument>,
  ) {}

  /** Newest first. @param since memories that are older are left out */
  list({ project_id, user_id }: Owner, since: number): Promise<MemoryDocument[]> {
    return this.database.run(() =>
      this.memories
        .find({ project_id, user_id, created: trusted({ $gte: since }) })
        .sort({ created: -1, _id: -1 })
        .limit(MAX_MEMORIES)
        .lean(),
    );
  }

  async add(memories: readonly MemoryDocument[]): Promise<void> {
    if (memories.length > 0) await this.database.run(() => this.memories.insertMany(memories));
  }

  async *all(project_id: string, user_id?: string): AsyncGenerator<MemoryDocument> {
    const whose = user_id === undefined ? { project_id } : { project_id, user_id };
    yield* this.memories
      .find(whose)
      .sort({ user_id: 1, created: 1 })
      .maxTimeMS(LONGEST_OPERATION_MS)
      .lean()
      .cursor() as AsyncIterable<MemoryDocument>;
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

  /** How many of these there are still. */
  count({ project_id, user_id }: Owner, ids: readonly string[]): Promise<number> {
    const these = { project_id, user_id, _id: trusted({ $in: [...ids] }) };
    return this.database.run(() => this.memories.countDocuments(these));
  }

  async removeProject(project_id: string, before?: number): Promise<number> {
    const which = before === undefined ? {} : { created: trusted({ $lt: before }) };
    const { deletedCount } = await this.memories.deleteMany({ project_id, ...which }).maxTimeMS(LONGEST_OPERATION_MS);
    return deletedCount;
  }
}
