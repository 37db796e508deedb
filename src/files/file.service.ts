import { Injectable } from '@nestjs/common';
import type { Readable } from 'node:stream';
import type { Owner } from '../auth/index.js';
import { type FileSource, takeIn } from './file.intake.js';
import type { ByteRange, StoredFile } from './file-store.js';
import { GridFsFileStore } from './file-store.gridfs.js';
import { FileStoreRegistry } from './file-store.registry.js';
import { VideoRepository } from './video.repository.js';

/** Characters of the longest details, as JSON. */
const DETAILS_LIMIT = 256 * 1024;

/** A recording that was taken in. */
export interface SavedFile extends StoredFile {
  /** SHA-256 of its bytes, in hex. */
  readonly sha256: string;
}

/** The files of messages, in GridFS or in the file store that a module brings. */
@Injectable()
export class FileService {
  constructor(
    private readonly stores: FileStoreRegistry,
    private readonly gridFs: GridFsFileStore,
    private readonly videos: VideoRepository,
  ) {}

  /**
   * Takes in a recording as it arrives, whatever it claims to be. The source is read to its end or closed.
   *
   * @param details JSON of up to 256 Ki characters to keep with it
   * @throws ServiceError `unsupported_media_type` where it is no recording, `payload_too_large` past 10 MiB; nothing is
   * left behind
   */
  async save(owner: Owner, source: FileSource, details?: unknown): Promise<SavedFile> {
    if ((JSON.stringify(details)?.length ?? 0) > DETAILS_LIMIT)
      throw new RangeError('The details of a file are too long');
    const { content_type, content, sha256, close } = await takeIn(source);
    try {
      const file = await this.stores.store.put(owner, content, { content_type, details });
      return { ...file, sha256: sha256() };
    } finally {
      await close();
    }
  }

  /** @returns undefined where there is no such file */
  find(file_id: string): Promise<StoredFile | undefined> {
    return this.stores.store.find(file_id);
  }

  /** @returns undefined where there is no such file */
  open(file_id: string, range?: ByteRange): Promise<Readable | undefined> {
    return this.stores.store.open(file_id, range);
  }

  /** What was saved with a file as its details. */
  details(file_id: string): Promise<unknown> {
    return this.stores.store.details(file_id);
  }

  /** Removes those that are there, and what has been rendered of them. */
  async remove(file_ids: readonly string[]): Promise<void> {
    if (file_ids.length === 0) return;
    await this.stores.store.remove(file_ids);
    const rendered = await this.videos.forget(file_ids);
    if (rendered.length > 0) await this.stores.store.remove(rendered);
  }

  /** Removes what a crash has left of files that were begun before `date` and never finished. @returns how many */
  sweep(date: number): Promise<number> {
    return this.gridFs.sweep(date);
  }

  /**
   * Removes files that were saved before `date` and are of no use, as a crash leaves them.
   *
   * @param inUse those of some files that are
   * @returns how many
   */
  sweepUnused(date: number, inUse: (file_ids: readonly string[]) => Promise<Set<string>>): Promise<number> {
    return this.gridFs.sweepUnused(date, async (file_ids) => {
      const [used, rendered] = await Promise.all([inUse(file_ids), this.videos.rendered(file_ids)]);
      rendered.forEach((file_id) => used.add(file_id));
      const orphans = await this.videos.forget(file_ids.filter((file_id) => !used.has(file_id)));
      if (orphans.length > 0) await this.stores.store.remove(orphans);
      return used;
    });
  }

  /** Removes every file of an owner. @returns how many there were */
  async removeAll(owner: Owner): Promise<number> {
    await this.videos.forgetAll(owner);
    return this.stores.store.removeAll(owner);
  }
}
