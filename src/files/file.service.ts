import { Injectable } from '@nestjs/common';
import type { Readable } from 'node:stream';
import type { Owner } from '../auth/index.js';
import { ErasableData } from '../erasure/index.js';
import { type FileSource, receiveUpload } from './file.upload.js';
import type { ByteRange, StoredFile } from './file-store.js';
import { GridFsFileStore } from './file-store.gridfs.js';
import { FileStoreRegistry } from './file-store.registry.js';
import { FileRenditions } from './file.rendition.js';

/** Maximum length of the details as JSON, in characters: more than the longest speech has. */
const DETAILS_LIMIT = 1024 * 1024;

/** A received recording. */
export interface SavedFile extends StoredFile {
  /** SHA-256 of its bytes, in hex. */
  readonly sha256: string;
}

/** The files of messages, in GridFS or in a module's file store. */
@Injectable()
export class FileService extends ErasableData {
  readonly name = 'files';

  constructor(
    private readonly stores: FileStoreRegistry,
    private readonly gridFs: GridFsFileStore,
    private readonly renditions: FileRenditions,
  ) {
    super();
  }

  /**
   * Stores a recording as it arrives, whatever type it claims. The source is always either read to its end or closed.
   *
   * @param details JSON of up to 1 Mi characters to store with it
   * @throws ServiceError `unsupported_media_type` if it is not a recording, `payload_too_large` above 10 MiB; nothing
   *   is left behind
   */
  async save(owner: Owner, source: FileSource, details?: unknown): Promise<SavedFile> {
    if ((JSON.stringify(details)?.length ?? 0) > DETAILS_LIMIT)
      throw new RangeError('The details of a file are too long');
    const { content_type, content, sha256, close } = await receiveUpload(source);
    try {
      const file = await this.stores.store.put(owner, content, { content_type, details });
      return { ...file, sha256: sha256() };
    } finally {
      await close();
    }
  }

  /** @returns undefined if there is no such file */
  find(file_id: string): Promise<StoredFile | undefined> {
    return this.stores.store.find(file_id);
  }

  /** @returns undefined if there is no such file */
  open(file_id: string, range?: ByteRange): Promise<Readable | undefined> {
    return this.stores.store.open(file_id, range);
  }

  /** The details that were stored with a file. */
  details(file_id: string): Promise<unknown> {
    return this.stores.store.details(file_id);
  }

  /** Removes those of these files that exist, and their renditions. */
  async remove(file_ids: readonly string[]): Promise<void> {
    if (file_ids.length === 0) return;
    await this.stores.store.remove(file_ids);
    const rendered = await this.renditions.removeRecords(file_ids);
    if (rendered.length > 0) await this.stores.store.remove(rendered);
  }

  /** Removes what crashes have left of uploads that started before `date` and never finished. @returns how many */
  sweep(date: number): Promise<number> {
    return this.gridFs.sweep(date);
  }

  /**
   * Removes unused files that were saved before `date`, such as crashes leave.
   *
   * @param inUse returns those of some files that are in use
   * @returns how many
   */
  sweepUnused(date: number, inUse: (file_ids: readonly string[]) => Promise<Set<string>>): Promise<number> {
    return this.gridFs.sweepUnused(date, async (file_ids) => {
      const [used, rendered] = await Promise.all([inUse(file_ids), this.renditions.findRenditions(file_ids)]);
      rendered.forEach((file_id) => used.add(file_id));
      const orphans = await this.renditions.removeRecords(file_ids.filter((file_id) => !used.has(file_id)));
      if (orphans.length > 0) await this.stores.store.remove(orphans);
      return used;
    });
  }

  /**
   * Removes every file of an owner. Those of work in progress are removed with their messages, or by the writer, which
   * finds that it must not store them.
   */
  override async eraseUnfenced(owner: Owner): Promise<void> {
    await this.stores.store.removeAll(owner);
  }
}
