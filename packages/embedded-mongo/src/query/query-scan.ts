import type { Database } from 'lmdb';
import { Doc, decode } from '../values/bson.js';
import type { Collection } from '../storage/catalogue.js';
import { CommandError } from '../wire/errors.js';
import type { Test } from './predicates.js';
import { matcher } from './match.js';
import { Plan, Range, plan } from './plan.js';
import { SortBuffer } from './sort-buffer.js';
import type { Sort } from './sort.js';
import { Deadline, LATER, Slice, yieldThread } from '../server/slice.js';
import { MAX_KEY, RecordId, Records, recordId, recordIdOf } from '../storage/records.js';
import type { Store } from '../storage/store.js';

/** A stored document. `doc` is set if it had to be decoded along the way. */
export interface Found {
  id: RecordId;
  bytes: Buffer;
  doc?: Doc;
}

export interface Query {
  collection: Collection;
  filter: Doc;
  sort: Sort;
  skip: number;
  /** 0: no limit. */
  limit: number;
  hint?: Collection['indexes'][number];
  /** The variables of `$expr`. */
  let?: Doc;
  /** When the command times out. */
  deadline?: Deadline;
}

/**
 * The documents of a query, one at a time. Between two commands, and when a command's time slice is over,
 * `pause` releases LMDB's snapshot. The scan continues after the last key, so concurrent writes may or may not
 * be seen.
 */
export class QueryScan {
  readonly plan: Plan;
  private slice?: Slice;
  private paused = false;
  private rows?: SortBuffer;
  /** Other commands may have run since the scan began. */
  private interrupted = false;
  private readonly test: Test;
  private ranges: Range[];
  private keys?: Iterator<Buffer>;
  private last?: Buffer;
  /** Record ids, as numbers. */
  private sorted?: number[];
  private at = 0;
  private seen?: Set<string>;
  private skip: number;
  private left: number;
  private steps = 0;

  constructor(
    private readonly store: Store,
    private readonly records: Records,
    private readonly query: Query,
  ) {
    this.plan = plan(query.collection, query.filter, query.sort, query.hint);
    // No key in an index is longer; lmdb has no room for longer ones.
    const cut = (key: Buffer) => key.subarray(0, MAX_KEY);
    const ranges = this.plan.ranges.map((one) => ({ ...one, start: cut(one.start), end: cut(one.end) }));
    this.ranges = this.plan.reverse ? ranges.reverse() : ranges;
    this.test = matcher(query.filter, query.let);
    if (this.plan.index?.multikey) this.seen = new Set();
    this.skip = query.skip;
    this.left = query.limit || Infinity;
  }

  /** The next document, however long that takes. */
  next(): Found | undefined {
    let found = this.poll();
    while (found === LATER) {
      this.slice = undefined;
      found = this.poll();
    }
    return found;
  }

  /** The next document, or `LATER` when the time slice is over: then call `pause`, let others run, and call again. */
  poll(): Found | undefined | typeof LATER {
    if (this.left <= 0) return undefined;
    if (!this.plan.sorted) return this.pollSorted();
    for (let found = this.step(); found; found = this.step()) {
      if (found === LATER) return LATER;
      if (this.skip === 0) {
        this.left--;
        return found;
      }
      this.skip--;
    }
    this.left = 0;
    return undefined;
  }

  /** All remaining documents. */
  all(): Found[] {
    const found: Found[] = [];
    try {
      for (let next = this.next(); next; next = this.next()) found.push(next);
    } finally {
      this.pause();
    }
    return found;
  }

  /** Counts the documents, without reading them if the index suffices. `letOthersRun` lets others run. */
  async count(letOthersRun = yieldThread): Promise<number> {
    if (this.plan.covered && !this.seen) {
      const all = this.ranges.reduce((sum, { start, end }) => sum + this.table.getKeysCount({ start, end }), 0);
      return Math.min(Math.max(all - this.skip, 0), this.left);
    }
    let count = 0;
    try {
      while (this.left > count) {
        const found = this.step();
        if (!found) break;
        if (found === LATER) {
          this.pause();
          await letOthersRun();
        } else if (this.skip) this.skip--;
        else count++;
      }
    } finally {
      this.pause();
    }
    return count;
  }

  pause(): void {
    this.keys?.return?.();
    this.keys = undefined;
    this.slice = undefined;
    this.paused = true;
  }

  private get table(): Database<Buffer, Buffer> {
    return this.plan.index ? this.store.keys : this.store.docs;
  }

  /** The next match, in the order of the scan. */
  private step(): Found | undefined | typeof LATER {
    if (this.paused) this.resume();
    this.slice ??= new Slice();
    for (;;) {
      if (this.slice.over()) return LATER;
      const key = this.nextKey();
      if (!key) return undefined;
      if ((++this.steps & 127) === 0) this.query.deadline?.check();
      const id = recordIdOf(key);
      if (this.seen) {
        const name = id.toString('latin1');
        if (this.seen.has(name)) continue;
        this.seen.add(name);
      }
      if (this.plan.covered && this.skip > 0 && this.plan.sorted) return { id, bytes: key };
      const bytes = this.records.read(this.query.collection, id);
      if (!bytes)
        throw new CommandError(
          'InternalError',
          `an index of ${this.query.collection.namespace} is damaged on the disk`,
        );
      if (this.plan.covered) return { id, bytes };
      const doc = decode(bytes);
      if (this.test(doc)) return { id, bytes, doc };
    }
  }

  /** Continues after others have run. @throws CommandError 175 if the collection or the index is gone. */
  private resume(): void {
    this.paused = false;
    this.interrupted = true;
    this.query.deadline?.check();
    const { collection } = this.query;
    const index = this.records.current(collection, this.plan.index);
    // Because of concurrent writes, the scan may meet a document in the index more than once.
    if (index?.multikey) this.seen ??= new Set();
  }

  private nextKey(): Buffer | undefined {
    while (this.ranges.length) {
      this.keys ??= this.open(this.ranges[0]!);
      const { value, done } = this.keys.next();
      if (!done) return (this.last = value);
      this.keys = undefined;
      this.last = undefined;
      this.ranges = this.ranges.slice(1);
    }
    return undefined;
  }

  private open({ start, end }: Range): Iterator<Buffer> {
    // LMDB itself skips keys if nothing has to be examined.
    const offset =
      this.plan.covered && this.plan.sorted && !this.seen && this.ranges.length === 1 && !this.last ? this.skip : 0;
    if (offset) this.skip = 0;
    const from = this.plan.reverse ? end : start;
    const range = {
      start: this.last ?? from,
      end: this.plan.reverse ? start : end,
      reverse: this.plan.reverse,
      offset,
    };
    const keys = this.table.getKeys(range)[Symbol.iterator]();
    if (!this.last) return keys;
    // The last key comes again, unless it was removed meanwhile.
    const first = keys.next();
    if (first.done || first.value.equals(this.last)) return keys;
    let given = false;
    return { next: () => (given ? keys.next() : ((given = true), first)), return: () => keys.return!() };
  }

  private pollSorted(): Found | undefined | typeof LATER {
    if (!this.sorted && this.collect() === LATER) return LATER;
    if (this.paused) this.resume();
    while (this.at < this.sorted!.length) {
      const id = recordId(this.sorted![this.at++]!);
      const bytes = this.records.read(this.query.collection, id);
      // It may have changed since it was found.
      if (!bytes || (this.interrupted && !this.test(decode(bytes)))) continue;
      this.left--;
      return { id, bytes };
    }
    return undefined;
  }

  /** Collects everything to be sorted, in as many slices as necessary. */
  private collect(): typeof LATER | undefined {
    const { sort, skip } = this.query;
    this.rows ??= new SortBuffer(sort);
    for (let found = this.step(); found; found = this.step()) {
      if (found === LATER) return LATER;
      this.rows.add(found.id, found.doc ?? decode(found.bytes));
    }
    this.sorted = this.rows.sorted(skip);
    this.rows = undefined;
    return undefined;
  }
}
