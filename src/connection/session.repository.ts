import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { type Model, trusted } from 'mongoose';
import type { Owner } from '../auth/index.js';
import { ErasableData } from '../erasure/index.js';
import { Database, LONGEST_OPERATION_MS } from '../platform/database/index.js';
import { SessionDocument } from './session.schema.js';

@Injectable()
export class SessionRepository extends ErasableData {
  readonly name = 'sessions';

  constructor(
    private readonly database: Database,
    @InjectModel(SessionDocument.name) private readonly sessions: Model<SessionDocument>,
  ) {
    super();
  }

  async insert({ project_id, user_id }: Owner, session: string, expires_at: Date): Promise<void> {
    // Bypasses Mongoose, whose documents and validation take longer than the insert.
    await this.database.run(() =>
      this.sessions.collection.insertOne({ _id: session as never, project_id, user_id, expires_at }),
    );
  }

  /** Whether the session belongs to this owner and has not ended. */
  async isOpen({ project_id, user_id }: Owner, session: string, now: Date): Promise<boolean> {
    const open = { _id: session, project_id, user_id, expires_at: trusted({ $gt: now }) };
    return (await this.database.run(() => this.sessions.exists(open))) !== null;
  }

  /**
   * Ends all but the newest sessions of an owner. Sessions of the same millisecond as the oldest kept one are kept too.
   */
  async trim({ project_id, user_id }: Owner, keep: number): Promise<void> {
    await this.database.run(async () => {
      const oldest = await this.sessions
        .findOne({ project_id, user_id }, { _id: 0, expires_at: 1 })
        .sort({ expires_at: -1 })
        .skip(keep - 1)
        .lean();
      if (oldest)
        await this.sessions.deleteMany({ project_id, user_id, expires_at: trusted({ $lt: oldest.expires_at }) });
    });
  }

  /** How many sessions of a project have not ended. */
  count(project_id: string, now: Date, timeout: number): Promise<number> {
    return this.sessions.countDocuments({ project_id, expires_at: trusted({ $gt: now }) }).maxTimeMS(timeout);
  }

  /** Removes the sessions of a project. @returns how many there were */
  override async eraseProject(project_id: string): Promise<number> {
    return (await this.sessions.deleteMany({ project_id }).maxTimeMS(LONGEST_OPERATION_MS)).deletedCount;
  }

  /** @returns how many there were */
  override async eraseUser({ project_id, user_id }: Owner): Promise<number> {
    return (await this.sessions.deleteMany({ project_id, user_id })).deletedCount;
  }
}
