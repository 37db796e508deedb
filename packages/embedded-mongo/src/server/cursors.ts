import { Long, MAX_DOCUMENT } from '../values/bson.js';
import { CommandError } from '../wire/errors.js';
import { Deadline, LATER, Slice, yieldThread } from './slice.js';

/** Yields documents as bytes, one at a time, and can be paused between two of them. */
export interface Source {
  /** `LATER`: the next document is not known yet; let other commands run, then call again. */
  next(): Buffer | undefined | typeof LATER;
  pause(): void;
  /** Its cursor may be idle for as long as the client likes. */
  lasting?: boolean;
  deadline?: Deadline;
}

export interface Cursor {
  id: Long;
  namespace: string;
  source: Source;
  /** Read ahead, not sent yet. */
  waiting?: Buffer;
  used: number;
  /** A command is reading from it. */
  busy?: boolean;
}

/** Documents of a cursor. The id is 0 when the cursor is exhausted. */
export interface Batch {
  batch: Buffer[];
  id: Long;
}

const IDLE = 10 * 60_000;
const MAX_OPEN = 1000;
const FIRST_BATCH = 101;
/** A batch ends at this size, so that a reply fits into a message. */
const BATCH_BYTES = MAX_DOCUMENT;

/** The open cursors of one server. */
export class Cursors {
  private readonly open = new Map<string, Cursor>();
  private readonly sweep = setInterval(() => this.closeIdle(), 60_000).unref();
  private counter = 0;

  /** @param letOthersRun lets other commands run when a source is not ready; each command may pass its own */
  constructor(private readonly letOthersRun: () => Promise<void> = yieldThread) {}

  /** The first documents of a source, and a cursor if there are more. */
  async start(
    namespace: string,
    source: Source,
    batchSize = FIRST_BATCH,
    single = false,
    letOthersRun = this.letOthersRun,
  ): Promise<Batch> {
    const id = Long.fromBits(Math.floor(Math.random() * 0xffffffff) | 0, ++this.counter);
    const cursor: Cursor = { id, namespace, source, used: performance.now() };
    const batch = await this.take(cursor, batchSize, letOthersRun);
    if (single || (!cursor.waiting && batchSize > 0)) return { batch, id: Long.ZERO };
    // At the limit, the oldest cursor is closed as if it had timed out.
    if (this.open.size >= MAX_OPEN) this.open.delete(this.open.keys().next().value!);
    this.open.set(id.toString(), cursor);
    return { batch, id };
  }

  /** @throws CommandError 43 if there is no such cursor. */
  async more(namespace: string, id: Long, batchSize: number, letOthersRun = this.letOthersRun): Promise<Batch> {
    const cursor = this.open.get(id.toString());
    if (!cursor) throw new CommandError('CursorNotFound', `cursor id ${id} not found`);
    if (cursor.namespace !== namespace) {
      throw new CommandError(
        'Unauthorized',
        `Requested getMore on namespace '${namespace}', but cursor belongs to a different namespace ${cursor.namespace}`,
      );
    }
    if (cursor.busy) throw new CommandError('CursorInUse', `cursor id ${id} is already in use`);
    const batch = await this.take(cursor, batchSize || Infinity, letOthersRun).catch((error: unknown) => {
      // What the source had read is lost, so the cursor cannot continue.
      this.open.delete(id.toString());
      throw error;
    });
    if (!cursor.waiting) this.open.delete(id.toString());
    cursor.used = performance.now();
    return { batch, id: cursor.waiting ? id : Long.ZERO };
  }

  kill(id: Long): boolean {
    return this.open.delete(id.toString());
  }

  /** Kills all cursors on a dropped collection. */
  killAll(namespace: string): void {
    for (const [id, cursor] of this.open) if (cursor.namespace === namespace) this.open.delete(id);
  }

  close(): void {
    clearInterval(this.sweep);
    this.open.clear();
  }

  private async take(cursor: Cursor, count: number, letOthersRun: () => Promise<void>): Promise<Buffer[]> {
    const batch: Buffer[] = [];
    const { source } = cursor;
    let size = 0;
    let slice = new Slice();
    cursor.busy = true;
    source.deadline?.goOn();
    try {
      let next = cursor.waiting ?? (count > 0 ? source.next() : undefined);
      while (next) {
        if (next !== LATER) {
          if (batch.length >= count || (batch.length && size + next.length > BATCH_BYTES)) break;
          batch.push(next);
          size += next.length;
        }
        if (next === LATER || slice.over()) {
          source.pause();
          await letOthersRun();
          slice = new Slice();
        }
        next = source.next();
      }
      cursor.waiting = next;
    } finally {
      cursor.busy = false;
      source.deadline?.stop();
      source.pause();
    }
    return batch;
  }

  private closeIdle(): void {
    const before = performance.now() - IDLE;
    for (const [id, { used, busy, source }] of this.open)
      if (!busy && !source.lasting && used < before) this.open.delete(id);
  }
}
