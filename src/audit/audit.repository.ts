import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { type Model, trusted, Types } from 'mongoose';
import { Database } from '../platform/database/index.js';
import { AuditDocument } from './audit.schema.js';

type Internal = 'fence' | 'erased';

/** Rather than what is not shown: newer versions may add more of that. */
const SHOWN = { _id: 0, date: 1, key: 1, action: 1, project_id: 1, user_id: 1, details: 1 } as const;

@Injectable()
export class AuditRepository {
  constructor(
    private readonly database: Database,
    @InjectModel(AuditDocument.name) private readonly entries: Model<AuditDocument>,
  ) {}

  /** @returns its identifier */
  async add(entry: AuditDocument): Promise<string> {
    const _id = new Types.ObjectId();
    await this.database.run(() => this.entries.insertMany([{ _id, ...entry }]));
    return _id.toHexString();
  }

  async remove(_id: string): Promise<void> {
    await this.database.run(() => this.entries.deleteOne({ _id }));
  }

  /** Newest first. @param projects `null` are changes to no single project. Omitted: all entries */
  list(since: Date, limit: number, projects?: readonly (string | null)[]): Promise<Omit<AuditDocument, Internal>[]> {
    const which = projects ? { project_id: trusted({ $in: [...projects] }) } : {};
    const newer = { ...which, date: trusted({ $gte: since }) };
    const find = () => this.entries.find(newer).select(SHOWN);
    return this.database.run(() => find().sort({ date: -1, _id: -1 }).limit(limit).lean());
  }

  /** A user of a project who is named in an entry. @param before only in entries with an earlier fence */
  async someUser(project_id: string, before?: number): Promise<string | undefined> {
    const named = { project_id, user_id: trusted({ $exists: true }), erased: trusted({ $exists: false }) };
    const found = await this.database.run(() =>
      this.entries.findOne({ ...named, ...earlierThan(before) }, { user_id: 1 }).lean(),
    );
    return found?.user_id;
  }

  /** Replaces a user's identifier. @returns in how many entries */
  async rename(owner: { project_id: string; user_id: string }, pseudonym: string, before?: number): Promise<void> {
    const { project_id, user_id } = owner;
    const named = { project_id, user_id, erased: trusted({ $exists: false }), ...earlierThan(before) };
    await this.database.run(() => this.entries.updateMany(named, { $set: { user_id: pseudonym, erased: true } }));
  }
}

function earlierThan(fence: number | undefined): object {
  return fence === undefined ? {} : { fence: trusted({ $lt: fence }) };
}
