import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { mongo } from 'mongoose';
import { type Owner, ownerKey } from '../auth/index.js';
import { type FoundBytes, isDatabaseUnavailable } from '../platform/database/index.js';
import { FileUrls } from '../files/index.js';
import { describeError, loggerOf } from '../platform/logging/index.js';
import type { HistoryRange } from './chat.dto.js';
import { startOf } from './chat.service.js';
import { documentsIn, type Extent, historyJson, messagesJson } from './history.json.js';
import { HistoryReads } from './history.reads.js';
import { MessageRepository, type Cursor } from '../messages/index.js';

/** Messages of the first read, when it is not known how large they are. */
const FIRST_READ = 101;
/** Bytes of messages that a page holds at a time; a smaller page is sent as a whole. */
const KEPT_BYTES = 512 * 1024;
/** Bytes of messages that are made JSON at a time. */
const PIECE_BYTES = 64 * 1024;
/** Users for whom it is known how large their messages are. */
const MOST_SIZES = 10_000;
/** What a page holds that is sent as it is read: its messages, and what waits for the client in JSON. */
export const STREAMED_PAGE_BYTES = 2 * KEPT_BYTES;

/** What a read brought, and how many messages it asked for. */
interface Found extends FoundBytes {
  asked: number;
}

/** Messages as the database has them. */
interface Batch {
  bytes: Uint8Array;
  extents: readonly Extent[];
}

/** Pages of histories as JSON text. */
@Injectable()
export class HistoryPages {
  private readonly logger = loggerOf(HistoryPages.name);
  /** Bytes of a message, by user, as a read had them: the last one of large messages, or of others than expected. */
  private readonly sizes = new Map<string, number>();

  constructor(
    private readonly messages: MessageRepository,
    private readonly reads: HistoryReads,
    private readonly urls: FileUrls,
  ) {}

  /**
   * A part of the owner's history, newest first, as `ChatService.page` has it. A large one is read as the client takes it:
   * it goes on after the last message sent, so that nothing is repeated or left out when messages arrive meanwhile.
   *
   * @throws ServiceError `invalid_before` if the owner has no such message; `rate_limited` if too many of the owner's
   *   requests wait
   * @throws DatabaseUnavailableError
   */
  async open(owner: Owner, range: HistoryRange): Promise<Buffer | Readable> {
    const { limit } = range;
    // One more than asked for tells whether there are more.
    const wanted = limit + 1;
    const from = await startOf(owner, range, this.messages);
    const first = await this.read(owner, from, wanted);
    if (first.isWhole && first.asked === wanted && first.batch.length <= KEPT_BYTES)
      return historyJson(first.batch, limit, this.urls);
    const batches = this.batches(owner, from, wanted, first);
    const begun: Batch[] = [];
    for (let bytes = 0; bytes <= KEPT_BYTES;) {
      const { value, done } = await batches.next();
      if (done) return concat(this.pieces(begun, batches, limit));
      begun.push(value);
      bytes += value.bytes.length;
    }
    return Readable.from(this.pieces(begun, batches, limit), { objectMode: false });
  }

  /** Reads as many of these messages as are likely to be kept. */
  private read(owner: Owner, from: number | Cursor, wanted: number): Promise<Found> {
    const user = ownerKey(owner);
    const isSmall = Math.min(wanted, FIRST_READ) * (this.sizes.get(user) ?? Infinity) <= KEPT_BYTES;
    return this.reads.run(owner, isSmall, async () => {
      const size = this.sizes.get(user);
      const asked = Math.min(wanted, FIRST_READ, Math.max(1, Math.floor(KEPT_BYTES / (size ?? 1))));
      const { batch, isWhole } = await this.messages.pageBytes(owner, from, asked);
      if (size === undefined || size * FIRST_READ > KEPT_BYTES || batch.length > 2 * asked * size)
        this.remember(user, batch);
      return { batch, isWhole, asked };
    });
  }

  private remember(user: string, batch: Uint8Array): void {
    this.sizes.delete(user);
    if (this.sizes.size >= MOST_SIZES) this.sizes.delete(this.sizes.keys().next().value!);
    this.sizes.set(user, batch.length / Math.max(1, [...documentsIn(batch)].length));
  }

  /** So many messages from a start, the next only when they are asked for, none of them in more than one. */
  private async *batches(
    owner: Owner,
    from: number | Cursor,
    wanted: number,
    first: Found,
  ): AsyncGenerator<Batch, void> {
    for (let found: Found | undefined = first; ; found = await this.read(owner, from, wanted)) {
      const all = [...documentsIn(found.batch)];
      const extents = leading(all, KEPT_BYTES);
      const last = extents.at(-1);
      if (!last) return;
      const isEnd = found.isWhole && extents.length === all.length && all.length < found.asked;
      // A copy releases the rest, which may be many times as much.
      const bytes = found.batch.slice(0, last[1]);
      found = undefined;
      from = placeAfter(bytes, last, from, extents.length);
      wanted -= extents.length;
      yield { bytes, extents };
      if (isEnd || wanted <= 0) return;
    }
  }

  private async *pieces(begun: Batch[], batches: AsyncGenerator<Batch>, limit: number): AsyncGenerator<Buffer, void> {
    let count = 0;
    let hasMore = false;
    try {
      yield Buffer.from('{"payload":[');
      for (let batch = begun.shift(); batch;) {
        const { bytes } = batch;
        let extents = batch.extents.slice(0, limit - count);
        hasMore = extents.length < batch.extents.length;
        while (extents.length > 0) {
          const piece = leading(extents, PIECE_BYTES);
          if (count > 0) yield Buffer.from(',');
          yield messagesJson(bytes, piece, this.urls);
          count += piece.length;
          extents = extents.slice(piece.length);
        }
        batch = hasMore ? undefined : (begun.shift() ?? (await nextOf(batches)));
      }
      yield Buffer.from(`],"has_more_messages":${hasMore}}`);
    } catch (error) {
      // The answer has begun, so that it can only break off.
      if (!isDatabaseUnavailable(error)) this.logger.error({ ...describeError(error) });
      throw error;
    } finally {
      await batches.return(undefined);
    }
  }
}

async function concat(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}

async function nextOf(batches: AsyncGenerator<Batch>): Promise<Batch | undefined> {
  const { value, done } = await batches.next();
  return done ? undefined : value;
}

/** The first of these documents, at least one, that have no more bytes than this. */
function leading(extents: readonly Extent[], bytes: number): readonly Extent[] {
  const start = extents[0]?.[0] ?? 0;
  const beyond = extents.findIndex(([, to], index) => index > 0 && to - start > bytes);
  return beyond === -1 ? extents : extents.slice(0, beyond);
}

/** The cursor behind a message; the offset if its date is no number, which the service never writes. */
function placeAfter(bytes: Uint8Array, [from, to]: Extent, start: number | Cursor, count: number): number | Cursor {
  const { _id, date } = mongo.BSON.deserialize(bytes.subarray(from, to)) as Cursor;
  return typeof start === 'number' && typeof date !== 'number' ? start + count : { _id, date };
}
