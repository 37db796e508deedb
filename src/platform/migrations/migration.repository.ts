import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { type Model, trusted } from 'mongoose';
import { Database, isDuplicateKey } from '../database/index.js';
import { MigrationDocument } from './migration.schema.js';

/** The document of the database itself. No migration may have this name. */
export const DATABASE = '*';

/** The migration lease, as last read. */
export type Lease = Pick<MigrationDocument, 'holder' | 'renewals'>;

export interface MigrationState {
  /** The names of the completed migrations. */
  finished: ReadonlySet<string>;
  /** 0 if no release with migrations has used the database. */
  form: number;
  /** Undefined if no process runs migrations. */
  lease?: Lease;
}

@Injectable()
export class MigrationRepository {
  constructor(
    private readonly database: Database,
    @InjectModel(MigrationDocument.name) private readonly migrations: Model<MigrationDocument>,
  ) {}

  async read(): Promise<MigrationState> {
    const all = await this.database.run(() => this.migrations.find().lean());
    const { form = 0, holder, renewals } = all.find(({ _id }) => _id === DATABASE) ?? {};
    return {
      finished: new Set(all.map(({ _id }) => _id)),
      form,
      lease: holder === undefined ? undefined : { holder, renewals },
    };
  }

  /**
   * Acquires the lease.
   *
   * @param seen the lease of a process that counts as lost, or this process's own
   * @returns false if another process was faster
   */
  async acquire(holder: string, seen?: Lease): Promise<boolean> {
    const free = { _id: DATABASE, ...(seen ?? { holder: trusted({ $exists: false }) }) };
    const lease = { $set: { holder, renewals: 0 } };
    try {
      const { matchedCount, upsertedCount } = await this.database.run(() =>
        this.migrations.updateOne(free, lease, { upsert: seen === undefined }),
      );
      return matchedCount + upsertedCount > 0;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  }

  /** @returns false if another process has taken the lease */
  async renew(holder: string): Promise<boolean> {
    const own = { _id: DATABASE, holder };
    const { matchedCount } = await this.database.run(() => this.migrations.updateOne(own, { $inc: { renewals: 1 } }));
    return matchedCount > 0;
  }

  async finish(name: string, form: number, finished_at: Date): Promise<void> {
    await this.database.run(() =>
      this.migrations.updateOne({ _id: name }, { $set: { form, finished_at } }, { upsert: true }),
    );
  }

  /** Releases the lease. @param form the data format from now on; unchanged if omitted */
  async release(holder: string, form?: number): Promise<void> {
    const raise = form === undefined ? {} : { $max: { form } };
    await this.database.run(() =>
      this.migrations.updateOne({ _id: DATABASE, holder }, { ...raise, $unset: { holder: 1, renewals: 1 } }),
    );
  }
}
