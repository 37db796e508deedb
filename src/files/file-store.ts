import type { Readable } from 'node:stream';
import type { Owner } from '../auth/index.js';

/** A stored file. */
export interface StoredFile {
  /** 1–128 characters of `A-Z a-z 0-9 _ -`, never reused. Part of URLs. */
  readonly file_id: string;
  /** Bytes. */
  readonly size: number;
  /** Such as `audio/mpeg`; detected by this service, not claimed by a client. */
  readonly content_type: string;
}

/** What is stored with a file. */
export interface FileDescription {
  readonly content_type: string;
  /** JSON of up to 1 Mi characters, stored with the file, such as the timing of its phonemes. */
  readonly details?: unknown;
}

/** Byte range from `start` (inclusive) to `end` (exclusive), both within the file. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Stores files; GridFS by default. Extend it and provide it in any module to replace GridFS. `fileStoreContract` tests
 * it.
 *
 * Identifiers may be arbitrary; an unknown one is a file that does not exist. Types, sizes and signatures have been
 * checked by the caller. If the store is unavailable, its methods throw; one that hangs fails for it after 30 s.
 *
 * @example
 * ```ts
 * @Injectable()
 * export class S3FileStore extends FileStore {
 *   override readonly kind = 's3';
 *   …
 * }
 *
 * @Module({ providers: [S3FileStore] })
 * export class S3Module {}
 *
 * createApp([S3Module]);
 * ```
 */
export abstract class FileStore {
  /** Name of the store in messages. */
  readonly kind: string = 'custom';

  /** Stores content, piece by piece as it arrives. If `content` throws, so does this, and nothing is left behind. */
  abstract put(owner: Owner, content: AsyncIterable<Uint8Array>, description: FileDescription): Promise<StoredFile>;

  /** @returns undefined if there is no such file */
  abstract find(file_id: string): Promise<StoredFile | undefined>;

  /**
   * A file's bytes, or a range of them. Destroying the stream stops the read behind it.
   *
   * @returns undefined if there is no such file
   */
  abstract open(file_id: string, range?: ByteRange): Promise<Readable | undefined>;

  /** @returns what `put` was given as `details`, or undefined */
  abstract details(file_id: string): Promise<unknown>;

  /** Removes those of these files that exist. */
  abstract remove(file_ids: readonly string[]): Promise<void>;

  /** Removes every file of an owner. @returns how many there were */
  abstract removeAll(owner: Owner): Promise<number>;
}
