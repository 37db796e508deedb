import type { Readable } from 'node:stream';
import type { Owner } from '../auth/index.js';

/** A file that is kept. */
export interface StoredFile {
  /** 1–128 characters of `A-Z a-z 0-9 _ -`, never given twice. It goes into URLs. */
  readonly file_id: string;
  /** Bytes. */
  readonly size: number;
  /** Such as `audio/mpeg`; found out by this service, not claimed by a client. */
  readonly content_type: string;
}

/** What is kept with a file. */
export interface FileDescription {
  readonly content_type: string;
  /** JSON of up to 256 Ki characters that belongs to the file, such as when which of its phonemes is spoken. */
  readonly details?: unknown;
}

/** Bytes from `start` up to but without `end`, both within the file. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Where files are kept; GridFS unless a team has something better. Extend it and make it a provider of any module: it
 * then takes GridFS's place. `fileStoreContract` is its test.
 *
 * Identifiers may be anything; one that was never given is a file that is not there. Types, sizes and signatures have
 * been checked by the caller. Where the store cannot be reached, its methods throw.
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
  /** Names the store in messages. */
  readonly kind: string = 'custom';

  /**
   * Keeps what comes, piece by piece as it comes. Where `content` throws, so does this, and nothing is left behind.
   */
  abstract put(owner: Owner, content: AsyncIterable<Uint8Array>, description: FileDescription): Promise<StoredFile>;

  /** @returns undefined where there is no such file */
  abstract find(file_id: string): Promise<StoredFile | undefined>;

  /**
   * A file's bytes, or those of a range. Whoever destroys the stream ends the reading behind it.
   *
   * @returns undefined where there is no such file
   */
  abstract open(file_id: string, range?: ByteRange): Promise<Readable | undefined>;

  /** @returns what `put` was given as `details`, or undefined */
  abstract details(file_id: string): Promise<unknown>;

  /** Removes those that are there. */
  abstract remove(file_ids: readonly string[]): Promise<void>;

  /** Removes every file of an owner. @returns how many there were */
  abstract removeAll(owner: Owner): Promise<number>;
}
