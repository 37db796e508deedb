import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { type BsonExtent, documentsIn } from 'avatar-chat-runtime';
import { mongo } from 'mongoose';
import { type Owner, ownerKey } from '../../auth/index.js';
import { type FoundBytes, isDatabaseUnavailable } from '../../platform/database/index.js';
import { FileUrls } from '../../files/index.js';
import { describeError, loggerOf } from '../../platform/logging/index.js';
import type { HistoryRange } from '../chat.dto.js';
import { historyJson, messagesJson } from './history.json.js';
import { startOf } from './history.start.js';
import { HistoryReads } from './history.reads.js';
import { MessageRepository, type Cursor } from '../../messages/index.js';

/** Whose history is read, and who takes a share of the reads. */
interface Reader {
  readonly owner: Owner;
  readonly holders: readonly string[];
}

/** Messages in the first read, while their size is unknown. */
const FIRST_READ = 101;
/** Bytes of messages that a page buffers at a time; a smaller page is sent in one piece. */
const KEPT_BYTES = 512 * 1024;
/** Bytes of messages that are serialized at a time. */
const PIECE_BYTES = 64 * 1024;
/** Users whose message sizes are remembered. */
const MAX_SIZES = 10_000;
/** How many messages the sizes of one that was seen predict. */
const PREDICTED = 10;
/** Memory of a streamed page: its messages, and the JSON that waits for the client. */
export const STREAMED_PAGE_BYTES = 2 * KEPT_BYTES;

/** The result of a read, and how many messages it requested. */
interface Found extends FoundBytes {
  asked: number;
}

/** What is known of the sizes of a user's messages. */
interface Sizes {
  /** Bytes per message. */
  mean: number;
  /** How many messages it was seen for; infinite if these are all that the user has. */
  seen: number;
}

/** Messages as stored. */
interface Batch {
  bytes: Uint8Array;
  extents: readonly BsonExtent[];
}

/** Streams pages of histories as JSON text. */
@Injectable()
export class HistoryPages {
  private readonly logger = loggerOf(HistoryPages.name);
  /** By user, from the last read of large messages, of unexpected sizes or of more messages than had been seen. */
  private readonly sizes = new Map<string, Sizes>();

  constructor(
    private readonly messages: MessageRepository,
    private readonly reads: HistoryReads,
    private readonly urls: FileUrls,
  ) {}

  /**
   * A part of the owner's history, newest first, like `ChatService.page`. A large one is read as fast as the client
   * takes it: each read continues after the last message sent, so that nothing is repeated or skipped when messages
   * arrive meanwhile.
   *
   * @param holders who takes a share of the reads: the user, then possibly the address
   * @throws ServiceError `invalid_before` if the owner has no such message; `rate_limited` if too many of the owner's
   *   requests wait
   * @throws DatabaseUnavailableError
   */
  async open(
    owner: Owner,
    range: HistoryRange,
    holders = [ownerKey(owner)] as readonly string[],
  ): Promise<Buffer | Readable> {
    const { limit } = range;
    // One more than requested, to know whether there are more.
    const wanted = limit + 1;
    const from = await startOf(owner, range, this.messages);
    const reader = { owner, holders };
    const first = await this.read(reader, from, wanted);
    if (first.isWhole && first.asked === wanted && first.batch.length <= KEPT_BYTES)
      return historyJson(first.batch, limit, this.urls);
    const batches = this.batches(reader, from, wanted, first);
    const begun: Batch[] = [];
    for (let bytes = 0; bytes <= KEPT_BYTES;) {
      const { value, done } = await batches.next();
      if (done) return concat(this.pieces(begun, batches, limit));
      begun.push(value);
      bytes += value.bytes.length;
    }
    return Readable.from(this.pieces(begun, batches, limit), { objectMode: false });
  }

  /** Reads as many messages as the response will probably need. */
  private read({ owner, holders }: Reader, from: number | Cursor, wanted: number): Promise<Found> {
    const user = ownerKey(owner);
    const isKnown = () => this.predicts(user, this.countOf(user, wanted));
    return this.reads.run(holders, isKnown, async () => {
      const asked = this.countOf(user, wanted);
      const { batch, isWhole } = await this.messages.pageBytes(owner, from, asked);
      const { mean = 0 } = this.sizes.get(user) ?? {};
      if (mean * FIRST_READ > KEPT_BYTES || batch.length > 2 * asked * mean || !this.predicts(user, asked)) {
        const count = [...documentsIn(batch)].length;
        const isAll = from === 0 && isWhole && count < asked;
        this.remember(user, { mean: batch.length / Math.max(1, count), seen: isAll ? Infinity : count });
      }
      return { batch, isWhole, asked };
    });
  }

  /** How many messages to request at a time. */
  private countOf(user: string, wanted: number): number {
    const { mean = 1 } = this.sizes.get(user) ?? {};
    return Math.min(wanted, FIRST_READ, Math.max(1, Math.floor(KEPT_BYTES / mean)));
  }

  /** Whether the size of this many messages is known well enough. */
  private predicts(user: string, count: number): boolean {
    return count <= PREDICTED * (this.sizes.get(user)?.seen ?? 0);
  }

  private remember(user: string, sizes: Sizes): void {
    this.sizes.delete(user);
    if (this.sizes.size >= MAX_SIZES) this.sizes.delete(this.sizes.keys().next().value!);
    this.sizes.set(user, sizes);
  }

  /** The given number of messages from a start, in batches without overlap. Each batch is read on demand. */
  private async *batches(
    reader: Reader,
    from: number | Cursor,
    wanted: number,
    found: Found | undefined,
  ): AsyncGenerator<Batch, void> {
    // A generator keeps its parameters, so the reply may only be in one that is cleared.
    while (found) {
      const all = [...documentsIn(found.batch)];
      const extents = leading(all, KEPT_BYTES);
      const last = extents.at(-1);
      if (!last) return;
      const isEnd = found.isWhole && extents.length === all.length && all.length < found.asked;
      // A copy releases the rest of the batch, which may be many times as large.
      const bytes = found.batch.slice(0, last[1]);
      found = undefined;
      from = placeAfter(bytes, last, from, extents.length);
      wanted -= extents.length;
      yield { bytes, extents };
      if (isEnd || wanted <= 0) return;
      found = await this.read(reader, from, wanted);
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
      // The response has started, so it can only be aborted.
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

/** The first of these documents, at least one, that fit into this many bytes. */
function leading(extents: readonly BsonExtent[], bytes: number): readonly BsonExtent[] {
  const start = extents[0]?.[0] ?? 0;
  const beyond = extents.findIndex(([, to], index) => index > 0 && to - start > bytes);
  return beyond === -1 ? extents : extents.slice(0, beyond);
}

/** The cursor after a message; the offset if its date is not a number, which the service never writes. */
function placeAfter(bytes: Uint8Array, [from, to]: BsonExtent, start: number | Cursor, count: number): number | Cursor {
  const { _id, date } = mongo.BSON.deserialize(bytes.subarray(from, to)) as Cursor;
  return typeof start === 'number' && typeof date !== 'number' ? start + count : { _id, date };
}
