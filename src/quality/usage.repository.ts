import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { type Model, trusted } from 'mongoose';
import type { Owner } from '../auth/index.js';
import { Database } from '../platform/database/index.js';
import { type UsageCounts, UsageDayDocument, UserTokensDocument } from './usage.schema.js';

/** The key of a count. */
export type UsageSubject = Pick<UsageDayDocument, 'project_id' | 'day' | 'avatar_id' | 'engine'>;

/** A user's tokens of a day. */
export type UserDay = Owner & { readonly day: string };

const MOST_ROWS = 100_000;

@Injectable()
export class UsageRepository {
  constructor(
    private readonly database: Database,
    @InjectModel(UsageDayDocument.name) private readonly days: Model<UsageDayDocument>,
    @InjectModel(UserTokensDocument.name) private readonly users: Model<UserTokensDocument>,
  ) {}

  /** Adds to the stored counts. */
  async add(subject: UsageSubject, counts: Partial<UsageCounts>, expires_at: Date): Promise<void> {
    const { project_id, day, avatar_id, engine } = subject;
    const _id = [project_id, day, avatar_id, engine].join('/');
    await this.database.upsert(() =>
      this.days.updateOne({ _id }, { $inc: counts, $set: { ...subject, expires_at } }, { upsert: true }),
    );
  }

  /** The counts since a day, oldest first. */
  list(project_id: string, day: string): Promise<UsageDayDocument[]> {
    return this.database.run(() =>
      this.days
        .find({ project_id, day: trusted({ $gte: day }) })
        .sort({ _id: 1 })
        .limit(MOST_ROWS)
        .lean(),
    );
  }

  async addTokens({ day, ...owner }: UserDay, tokens: number, expires_at: Date): Promise<void> {
    const _id = [owner.project_id, owner.user_id, day].join('/');
    await this.database.upsert(() =>
      this.users.updateOne({ _id }, { $inc: { tokens }, $set: { ...owner, expires_at } }, { upsert: true }),
    );
  }

  async tokensOf({ project_id, user_id, day }: UserDay): Promise<number> {
    const _id = [project_id, user_id, day].join('/');
    const found = await this.database.run(() => this.users.findOne({ _id }, { tokens: 1 }).lean());
    return found?.tokens ?? 0;
  }

  async removeUser({ project_id, user_id }: Owner): Promise<void> {
    await this.database.run(() => this.users.deleteMany({ project_id, user_id }));
  }

  async removeUsers(project_id: string): Promise<void> {
    await this.database.run(() => this.users.deleteMany({ project_id }));
  }

  async removeProject(project_id: string): Promise<void> {
    await this.database.run(() => this.days.deleteMany({ project_id }));
  }
}
