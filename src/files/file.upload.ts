import { createHash } from 'node:crypto';
import { failure } from '../platform/errors/index.js';
import { HEAD_LENGTH, mediaType } from 'avatar-chat-media';

/** Maximum size of a file, in bytes. */
export const FILE_LIMIT = 10 * 1024 * 1024;

/** Source of a recording: a stream, or buffers. */
export type FileSource = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** A recording being received. */
export interface Upload {
  content_type: string;
  /** The bytes; throws `payload_too_large` as soon as there are too many. */
  content: AsyncIterable<Uint8Array>;
  /** SHA-256 of the content, in hex, once it has been read completely. */
  sha256(): string;
  /** Closes the source if the content is not read. */
  close(): Promise<unknown>;
}

/**
 * Detects the type of an upload from its first bytes. The source is always either read to its end or closed.
 *
 * @throws ServiceError `unsupported_media_type` if it is not a recording
 */
export async function receiveUpload(source: FileSource): Promise<Upload> {
  const pieces = limited(source);
  const head: Uint8Array[] = [];
  let length = 0;
  while (length < HEAD_LENGTH) {
    const { value, done } = await pieces.next();
    if (done) break;
    head.push(value);
    length += value.length;
  }
  const start = Buffer.concat(head);
  const content_type = mediaType(start.subarray(0, HEAD_LENGTH));
  if (!content_type) {
    await pieces.return();
    throw failure('not_a_recording');
  }
  const hash = createHash('sha256');
  return {
    content_type,
    content: hashed(start, pieces),
    sha256: () => hash.copy().digest('hex'),
    close: () => pieces.return(),
  };

  async function* hashed(first: Uint8Array, rest: AsyncGenerator<Uint8Array, void>): AsyncGenerator<Uint8Array> {
    hash.update(first);
    yield first;
    for await (const piece of rest) {
      hash.update(piece);
      yield piece;
    }
  }
}

async function* limited(source: FileSource): AsyncGenerator<Uint8Array, void> {
  let length = 0;
  for await (const piece of source) {
    length += piece.length;
    if (length > FILE_LIMIT) throw failure('file_too_large', FILE_LIMIT / 1024 / 1024);
    yield piece;
  }
}
