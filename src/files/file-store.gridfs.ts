import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import { type Connection, mongo, Types } from 'mongoose';
import type { Owner } from '../auth/index.js';
import {
  Database,
  DatabaseUnavailableError,
  isDatabaseUnavailable,
  LONGEST_OPERATION_MS,
} from '../platform/database/index.js';
import { type ByteRange, type FileDescription, FileStore, type StoredFile } from './file-store.js';

const BUCKET = 'files';
/** Files removed per batch. */
const BATCH = 500;

interface FileDocument {
  _id: Types.ObjectId;
  length: number;
  chunkSize: number;
  metadata: { project_id: string; user_id: string; content_type: string; details?: string };
}

/** A chunk of a file in GridFS. */
interface ChunkDocument {
  files_id: Types.ObjectId;
  n: number;
  data: mongo.Binary;
}

/** Stores files in GridFS, in the same database as the messages: the collections `files.files` and `files.chunks`. */
@Injectable()
export class GridFsFileStore extends FileStore {
  override readonly kind = 'gridfs';
  /** Of each client: the first upload of a bucket checks its indexes. */
  private readonly buckets = new WeakMap<mongo.Db, mongo.GridFSBucket>();
  /** Chunks have been checked up to this identifier; identifiers grow over time, so nothing new comes before it. */
  private sweptUpTo = new Types.ObjectId('0'.repeat(24));
  /** The same for unused files. */
  private usedUpTo = new Types.ObjectId('0'.repeat(24));

  constructor(
    @InjectConnection() private readonly connection: Connection,
    private readonly database: Database,
  ) {
    super();
    database.onReady(async () => {
      await this.files.createIndex({ 'metadata.project_id': 1, 'metadata.user_id': 1 });
      await this.chunks.createIndex({ files_id: 1, n: 1 }, { unique: true });
    });
  }

  /** Each write has its own timeout, since the sender may be slow. */
  async put(
    { project_id, user_id }: Owner,
    content: AsyncIterable<Uint8Array>,
    { content_type, details }: FileDescription,
  ): Promise<StoredFile> {
    const metadata: FileDocument['metadata'] = { project_id, user_id, content_type };
    if (details !== undefined) metadata.details = JSON.stringify(details);
    const upload = this.bucket.openUploadStream('', { metadata });
    upload.on('error', () => undefined); // handled by the callbacks below
    try {
      for await (const piece of content) await this.step((done) => upload.write(piece, done));
      await this.step((done) => upload.end(done));
    } catch (error) {
      upload.destroy();
      const removed = this.removeByIds([upload.id]).catch(() => undefined);
      if (!isDatabaseUnavailable(error)) await removed;
      throw error;
    }
    return { file_id: upload.id.toHexString(), size: upload.length, content_type };
  }

  async find(file_id: string): Promise<StoredFile | undefined> {
    const file = await this.read(file_id, { 'metadata.details': 0 });
    return file && { file_id, size: file.length, content_type: file.metadata.content_type };
  }

  async open(file_id: string, range?: ByteRange): Promise<Readable | undefined> {
    const file = await this.read(file_id, { 'metadata.details': 0 });
    return file && Readable.from(this.bytes(file, range ?? { start: 0, end: file.length }), { objectMode: false });
  }

  async details(file_id: string): Promise<unknown> {
    const details = (await this.read(file_id, { 'metadata.details': 1 }))?.metadata?.details;
    return details === undefined ? undefined : JSON.parse(details);
  }

  async remove(file_ids: readonly string[]): Promise<void> {
    const ids = file_ids.flatMap((file_id) => objectId(file_id) ?? []);
    for (let at = 0; at < ids.length; at += BATCH) await this.removeByIds(ids.slice(at, at + BATCH));
  }

  async removeAll({ project_id, user_id }: Owner): Promise<number> {
    const owned = { 'metadata.project_id': project_id, 'metadata.user_id': user_id };
    for (let removed = 0; ;) {
      const batch = await this.files.find(owned, { projection: { _id: 1 }, limit: BATCH }).toArray();
      if (batch.length === 0) return removed;
      removed += await this.removeByIds(batch.map(({ _id }) => _id));
    }
  }

  /**
   * Removes the chunks of uploads that started before `date` and never finished, for example because of a crash. The
   * first call checks all chunks, later ones only those since.
   *
   * @param date milliseconds; uploads in progress must have started later
   * @returns how many files there were
   */
  async sweep(date: number): Promise<number> {
    const $lt = Types.ObjectId.createFromTime(Math.floor(date / 1000));
    for (let removed = 0; ;) {
      const filter = { files_id: { $gt: this.sweptUpTo, $lt } };
      // Covered by the index, which does not have the data.
      const options = { projection: { _id: 0, files_id: 1 }, sort: { files_id: 1, n: 1 }, limit: BATCH } as const;
      const pieces = await this.chunks.find(filter, options).toArray();
      const last = pieces.at(-1);
      if (!last) return removed;
      const ids = new Map(pieces.map(({ files_id }) => [files_id.toHexString(), files_id]));
      const files = this.files.find({ _id: { $in: [...ids.values()] } }, { projection: { _id: 1 } });
      for await (const { _id } of files) ids.delete(_id.toHexString());
      if (ids.size > 0) await this.removeByIds([...ids.values()]);
      removed += ids.size;
      this.sweptUpTo = last.files_id;
    }
  }

  /**
   * Removes unused files that were saved before `date`. The first call checks all files, later ones only those since.
   *
   * @param date milliseconds; files saved earlier must be in use by now
   * @param inUse returns those of some files that are in use
   * @returns how many were removed
   */
  async sweepUnused(date: number, inUse: (file_ids: readonly string[]) => Promise<Set<string>>): Promise<number> {
    const $lt = Types.ObjectId.createFromTime(Math.floor(date / 1000));
    for (let removed = 0; ;) {
      const options = { projection: { _id: 1 }, sort: { _id: 1 }, limit: BATCH } as const;
      const batch = await this.files.find({ _id: { $gt: this.usedUpTo, $lt } }, options).toArray();
      const last = batch.at(-1);
      if (!last) return removed;
      const used = await inUse(batch.map(({ _id }) => _id.toHexString()));
      const unused = batch.flatMap(({ _id }) => (used.has(_id.toHexString()) ? [] : _id));
      if (unused.length > 0) removed += await this.removeByIds(unused);
      this.usedUpTo = last._id;
    }
  }

  /**
   * One chunk at a time, so that slow readers hold no cursor open, and a reader that leaves is noticed at the next
   * chunk.
   */
  private async *bytes({ _id, chunkSize }: FileDocument, { start, end }: ByteRange): AsyncGenerator<Uint8Array> {
    for (let n = Math.floor(start / chunkSize); n * chunkSize < end; n++) {
      const chunk = await this.database.run(() => this.chunks.findOne({ files_id: _id, n }));
      // Ending here would leave the client waiting for the announced length.
      if (!chunk) throw new Error('The file was removed while it was read');
      yield chunk.data.buffer.subarray(Math.max(0, start - n * chunkSize), end - n * chunkSize);
    }
  }

  private async read(file_id: string, projection: Record<string, 0 | 1>): Promise<FileDocument | undefined> {
    const _id = objectId(file_id);
    return _id && ((await this.database.run(() => this.files.findOne({ _id }, { projection }))) ?? undefined);
  }

  /** Chunks first: if this fails midway, the file entry remains, so that it can be removed again. */
  private async removeByIds(ids: Types.ObjectId[]): Promise<number> {
    await this.chunks.deleteMany({ files_id: { $in: ids } }, { maxTimeMS: LONGEST_OPERATION_MS });
    return (await this.files.deleteMany({ _id: { $in: ids } })).deletedCount;
  }

  private step(write: (done: (error?: Error | null) => void) => void): Promise<void> {
    return this.database.run(
      () => new Promise<void>((resolve, reject) => write((error) => (error ? reject(error) : resolve()))),
    );
  }

  private get db(): mongo.Db {
    if (!this.connection.db) throw new DatabaseUnavailableError();
    return this.connection.db;
  }
  private get bucket(): mongo.GridFSBucket {
    const bucket = this.buckets.get(this.db) ?? new mongo.GridFSBucket(this.db, { bucketName: BUCKET });
    this.buckets.set(this.db, bucket);
    return bucket;
  }
  private get files(): mongo.Collection<FileDocument> {
    return this.db.collection(`${BUCKET}.files`);
  }
  private get chunks(): mongo.Collection<ChunkDocument> {
    return this.db.collection(`${BUCKET}.chunks`);
  }
}

function objectId(file_id: string): Types.ObjectId | undefined {
  return /^[0-9a-f]{24}$/.test(file_id) ? new Types.ObjectId(file_id) : undefined;
}
