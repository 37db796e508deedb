import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { type Model, trusted } from 'mongoose';
import type { Owner } from '../auth/index.js';
import { Database } from '../platform/database/index.js';
import { MessageDocument } from './message.schema.js';

/** Messages erased per batch. */
const ERASE_BATCH = 500;

/** Removes messages, and finds what is left of them. */
@Injectable()
export class MessageRemoval {
  constructor(
    private readonly database: Database,
    @InjectModel(MessageDocument.name) private readonly messages: Model<MessageDocument>,
  ) {}

  /** Removes messages of an owner by their identifiers. */
  async remove({ project_id, user_id }: Owner, ids: readonly string[]): Promise<void> {
    const these = { project_id, user_id, _id: trusted({ $in: [...ids] }) };
    await this.database.run(() => this.messages.deleteMany(these));
  }

  /**
   * Removes the data of a user, or of a whole project, from before an erasure. Later data stays.
   *
   * @param forget removes files
   * @returns how many messages there were
   */
  async removeFromBefore(
    whose: Pick<MessageDocument, 'project_id'> & Partial<Pick<MessageDocument, 'user_id'>>,
    erasure: number,
    forget: (file_ids: string[]) => Promise<void>,
  ): Promise<number> {
    const older = { ...whose, $nor: [{ begun: trusted({ $gte: erasure }) }] };
    for (let removed = 0; ;) {
      const found = await this.messages.find(older).select({ file_id: 1 }).limit(ERASE_BATCH).lean();
      // Repeated until nothing is found: a message may be inserted behind the scan.
      if (found.length === 0) return removed;
      // Files first: if this fails midway, their messages can still be found.
      await forget(found.flatMap(({ file_id }) => file_id ?? []));
      const these = { ...older, _id: trusted({ $in: found.map(({ _id }) => _id) }) };
      removed += (await this.messages.deleteMany(these)).deletedCount;
    }
  }

  /** Those of these messages of an owner that exist. */
  async existing({ project_id, user_id }: Owner, ids: readonly string[]): Promise<Set<string>> {
    const these = { project_id, user_id, _id: trusted({ $in: [...ids] }) };
    const found = await this.database.run(() => this.messages.find(these).select({ _id: 1 }).lean());
    return new Set(found.map(({ _id }) => _id));
  }

  /** For retention: those of these files that belong to a message of any owner. */
  async filesInUse(file_ids: readonly string[]): Promise<Set<string>> {
    const these = { file_id: trusted({ $in: [...file_ids] }) };
    const found = await this.database.run(() => this.messages.find(these).select({ _id: 0, file_id: 1 }).lean());
    return new Set(found.map(({ file_id }) => file_id!));
  }
}
