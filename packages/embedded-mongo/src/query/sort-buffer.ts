import type { Doc } from '../values/bson.js';
import { CommandError } from '../wire/errors.js';
import { joined } from '../values/order.js';
import { sortKey } from '../values/paths.js';
import { type RecordId, numberOf } from '../storage/records.js';
import type { Sort } from './sort.js';

/** The memory limit of a sort in bytes, as in MongoDB. */
const MAX_BYTES = 100 * 1024 * 1024;
/** What a row takes besides its key, about. */
const ROW_BYTES = 64;

/** Collects documents by their sort keys and ids, for a sort that no index provides. */
export class SortBuffer {
  private readonly rows: { key: Buffer; id: RecordId }[] = [];
  private readonly paths: string[][];
  private readonly descending: boolean[];
  private bytes = 0;

  constructor(sort: Sort) {
    this.paths = sort.map(([path]) => path.split('.'));
    this.descending = sort.map(([, order]) => order < 0);
  }

  /** @throws CommandError 292 if it exceeds the limit. */
  add(id: RecordId, doc: Doc): void {
    const key = joined(
      this.paths.map((parts, i) => sortKey(doc, parts, this.descending[i]!)),
      this.descending,
    );
    this.bytes += key.length + ROW_BYTES;
    if (this.bytes > MAX_BYTES) {
      throw new CommandError(
        'QueryExceededMemoryLimit',
        `Executor error during find command :: caused by :: Sort exceeded memory limit of ${MAX_BYTES} bytes`,
      );
    }
    this.rows.push({ key, id });
  }

  /** The ids in order, as numbers. */
  sorted(skip: number): number[] {
    this.rows.sort((a, b) => Buffer.compare(a.key, b.key));
    return this.rows.slice(skip).map(({ id }) => numberOf(id));
  }
}
