import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import { Database } from '../platform/database/index.js';
import { CatalogueJournalDocument } from './catalogue.schemas.js';

const JOURNAL = 'change';
/** Larger than the largest catalogue file, re-serialized by this service. */
const MAX_CHANGE_BYTES = 64 * 1024 * 1024;

/** A change that has started and may be incomplete. */
export interface PendingChange<T> {
  id: string;
  change: T;
  /** The revision that it changes; it is dropped if there is a newer one. Omitted: any. */
  seen?: string | undefined;
}

/**
 * The change of the catalogue in progress: stored completely before its first write, and removed after its last, so
 * that any process can complete it after a crash. Only one change runs at a time.
 */
@Injectable()
export class CatalogueJournal<T> {
  constructor(
    private readonly database: Database,
    @InjectModel(CatalogueJournalDocument.name) private readonly journal: Model<CatalogueJournalDocument>,
  ) {}

  /** @returns false while another change is in progress */
  async add({ id, change, seen }: PendingChange<T>): Promise<boolean> {
    // Compressed, even the largest file fits into one document.
    const bytes = await promisify(gzip)(JSON.stringify(change));
    return this.database.insert(() => this.journal.create({ _id: JOURNAL, change_id: id, change: bytes, seen }));
  }

  /** The identifier of the change in progress. */
  async pendingId(): Promise<string | undefined> {
    const found = await this.database.run(() => this.journal.findById(JOURNAL).select({ change_id: 1 }).lean());
    return found?.change_id;
  }

  async read(): Promise<PendingChange<T> | undefined> {
    const found = await this.database.run(() => this.journal.findById(JOURNAL));
    if (!found) return undefined;
    const text = await promisify(gunzip)(found.change, { maxOutputLength: MAX_CHANGE_BYTES });
    return { id: found.change_id, change: JSON.parse(text.toString()) as T, seen: found.seen };
  }

  /** From now on it is completed, whatever the revision. */
  async admit(id: string): Promise<void> {
    const one = { _id: JOURNAL, change_id: id };
    await this.database.run(() => this.journal.updateOne(one, { $unset: { seen: 1 } }));
  }

  /** @returns false if another process has completed it */
  async remove(id: string): Promise<boolean> {
    const one = { _id: JOURNAL, change_id: id };
    const { deletedCount } = await this.database.run(() => this.journal.deleteOne(one));
    return deletedCount > 0;
  }
}
