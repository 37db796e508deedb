import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { type ByteRange, type FileDescription, FileStore, type Owner, type StoredFile } from '../../src/index.js';

interface Kept {
  readonly owner: string;
  readonly file: StoredFile;
  readonly bytes: Buffer;
  readonly details: string | undefined;
}

/** Stores files in memory. */
@Injectable()
export class MemoryFileStore extends FileStore {
  private readonly kept: Kept[] = [];

  async put(owner: Owner, content: AsyncIterable<Uint8Array>, { content_type, details }: FileDescription) {
    const pieces: Uint8Array[] = [];
    for await (const piece of content) pieces.push(piece);
    const bytes = Buffer.concat(pieces);
    const file = { file_id: randomBytes(9).toString('base64url'), size: bytes.length, content_type };
    this.kept.push({ owner: nameOf(owner), file, bytes, details: JSON.stringify(details) });
    return file;
  }
  async find(file_id: string) {
    return this.get(file_id)?.file;
  }
  async open(file_id: string, range: ByteRange = { start: 0, end: Infinity }) {
    const found = this.get(file_id);
    return found && Readable.from([found.bytes.subarray(range.start, range.end)], { objectMode: false });
  }
  async details(file_id: string) {
    const details = this.get(file_id)?.details;
    return details === undefined ? undefined : JSON.parse(details);
  }
  async remove(file_ids: readonly string[]) {
    this.drop(({ file }) => file_ids.includes(file.file_id));
  }
  async removeAll(owner: Owner) {
    return this.drop((kept) => kept.owner === nameOf(owner));
  }

  private get(file_id: string) {
    return this.kept.find(({ file }) => file.file_id === file_id);
  }
  private drop(isDropped: (kept: Kept) => boolean) {
    const before = this.kept.length;
    this.kept.splice(0, before, ...this.kept.filter((kept) => !isDropped(kept)));
    return before - this.kept.length;
  }
}

const nameOf = ({ project_id, user_id }: Owner) => `${project_id}/${user_id}`;
