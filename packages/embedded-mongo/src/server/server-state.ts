import { Doc, Long, isDocument, isNumber, toNumber } from '../values/bson.js';
import { Catalogue, Collection, Index } from '../storage/catalogue.js';
import { Cursors } from './cursors.js';
import { CommandError } from '../wire/errors.js';
import { compare } from '../values/order.js';
import { sortOf } from '../query/sort.js';
import { Records } from '../storage/records.js';
import { constants } from '../expressions/expressions.js';
import { Deadline, LATER, Slice, WRITE_SLICE_MS, yieldThread } from './slice.js';
import { Store, StoreOptions } from '../storage/store.js';
import type { Found, Query, QueryScan } from '../query/query-scan.js';
import type { Reply } from '../wire/wire.js';

/** The state that commands work on. */
export class ServerState {
  readonly store: Store;
  readonly catalogue: Catalogue;
  readonly records: Records;
  readonly cursors = new Cursors(() => this.letOthersRun());

  private tidying?: Promise<void>;
  private closing = false;

  constructor(path: string, options?: StoreOptions) {
    this.store = new Store(path, options);
    this.catalogue = new Catalogue(this.store);
    this.records = new Records(this.store, this.catalogue);
  }

  /** Makes subsequent reads see the newest commit. */
  refresh(): void {
    this.store.refresh();
    this.catalogue.refresh();
  }

  /**
   * Call within a long command: lets other commands run, then refreshes to the newest commit.
   * @throws CommandError 279 if the client has disconnected.
   */
  async letOthersRun(connection?: Connection): Promise<void> {
    await yieldThread();
    if (connection?.gone) throw new CommandError('ClientDisconnect', 'the client has disconnected');
    await this.store.ready;
    this.refresh();
  }

  /** All documents of a scan. Lets other commands run in between. */
  async *documents(scan: QueryScan, connection?: Connection): AsyncGenerator<Found> {
    try {
      for (let found = scan.poll(); found; found = scan.poll()) {
        if (found !== LATER) yield found;
        else {
          scan.pause();
          await this.letOthersRun(connection);
        }
      }
    } finally {
      scan.pause();
    }
  }

  /** Runs in a write transaction, with the catalogue as of that transaction; see `Store.write`. */
  write<T>(run: () => T, options?: Parameters<Store['write']>[1]): Promise<T> {
    const written = this.store.write(() => {
      this.catalogue.refresh();
      this.records.begin();
      return run();
    }, options);
    written.catch(() => this.catalogue.forget());
    return written;
  }

  /**
   * Call within a write transaction: removes the data stored under the id of a dropped collection or index. `tidy` removes
   * what does not fit into the time slice.
   */
  clear(table: 'docs' | 'keys', id: number): void {
    if (this.records.clear(table, id, new Slice())) return;
    this.catalogue.discard(table, id);
    this.tidy();
  }

  /** Removes the remains of dropped collections and indexes in the background, also after a restart. */
  tidy(): void {
    this.tidying ??= this.removeDiscarded()
      // The disk is full or the store is closing. The removal is recorded, so the next run picks it up.
      .catch(() => undefined)
      .finally(() => (this.tidying = undefined));
  }

  private async removeDiscarded(): Promise<void> {
    let more = true;
    while (more && !this.closing) {
      await yieldThread();
      more = await this.write(
        () => {
          const discarded = this.catalogue.discarded();
          if (discarded && this.records.clear(discarded.table, discarded.id, new Slice(WRITE_SLICE_MS)))
            discarded.done();
          return discarded !== undefined;
        },
        { removes: true },
      );
    }
  }

  async close(): Promise<void> {
    this.closing = true;
    await this.tidying;
    this.cursors.close();
    await this.store.close();
  }

  /** Call within a write transaction. Returns the collection, created if it does not exist. */
  collection(namespace: string): Collection {
    let found = this.catalogue.get(namespace);
    if (!found) {
      this.catalogue.create(namespace);
      this.catalogue.refresh();
      found = this.catalogue.get(namespace)!;
    }
    return found;
  }
}

/** A command: takes the message's body, returns the reply without its `ok`. */
export type Command = (state: ServerState, body: Doc, connection: Connection) => Reply | Promise<Reply>;

export interface Connection {
  id: number;
  /** The client has disconnected. */
  gone?: boolean;
  /** The current number of open connections. */
  open: () => number;
}

/** The namespace that a command names. @throws CommandError 73 if the name is invalid. */
export function namespaceOf(body: Doc, field = Object.keys(body)[0]!): string {
  const name = body[field];
  const database = databaseOf(body);
  if (typeof name !== 'string') throw new CommandError('BadValue', `collection name has invalid type ${typeof name}`);
  if (
    !name ||
    name.includes('\0') ||
    name.includes('$') ||
    name.startsWith('.') ||
    name.endsWith('.') ||
    Buffer.byteLength(name) > 255
  ) {
    throw new CommandError('InvalidNamespace', `Invalid namespace specified '${database}.${name}'`);
  }
  return `${database}.${name}`;
}

export function databaseOf(body: Doc): string {
  const name = body.$db;
  if (typeof name !== 'string')
    throw new CommandError('MissingParameter', "BSON field '$db' is missing but a required field");
  if (!name || /[\0/\\. "$]/.test(name) || Buffer.byteLength(name) > 63)
    throw new CommandError('InvalidNamespace', `Invalid database name: '${name}'`);
  return name;
}

/** @throws CommandError 14 if the field is present and not a document. */
export function documentAt(body: Doc, field: string): Doc {
  const value = body[field] ?? {};
  if (!isDocument(value)) throw wrongType(body, field, 'object');
  return value;
}

/** @throws CommandError 14 or 2 if the field is present and not a number of at least 0. */
export function countAt(body: Doc, field: string): number {
  const number = integerAt(body, field);
  if (number < 0)
    throw new CommandError('BadValue', `BSON field '${field}' value must be >= 0, actual value '${number}'`);
  return number;
}

/** @throws CommandError 14 if the field is present and not a number. */
export function integerAt(body: Doc, field: string): number {
  const value = body[field] ?? 0;
  if (!isNumber(value)) throw wrongType(body, field, 'number');
  return Math.trunc(toNumber(value));
}

const wrongType = (body: Doc, field: string, expected: string): CommandError =>
  new CommandError(
    'TypeMismatch',
    `BSON field '${Object.keys(body)[0]}.${field}' is the wrong type '${typeof body[field]}', expected type '${expected}'`,
  );

/** The query parts that `find`, `count`, `update`, … share. */
export function queryOf(collection: Collection, body: Doc, filter: Doc): Query {
  return {
    collection,
    filter,
    sort: sortOf(body.sort === undefined && isNatural(body.hint) ? body.hint : documentAt(body, 'sort')),
    skip: countAt(body, 'skip'),
    limit: 0,
    hint: body.hint === undefined ? undefined : hinted(collection, body.hint),
    let: constants(documentAt(body, 'let')),
    deadline: deadlineOf(body),
  };
}

export function deadlineOf(body: Doc): Deadline | undefined {
  const milliseconds = countAt(body, 'maxTimeMS');
  return milliseconds ? new Deadline(milliseconds) : undefined;
}

const isNatural = (hint: unknown): hint is Doc => isDocument(hint) && '$natural' in hint;

function hinted(collection: Collection, hint: unknown): Index | undefined {
  if (isNatural(hint)) return undefined;
  const found = collection.indexes.find(({ spec }) =>
    typeof hint === 'string' ? spec.name === hint : compare(spec.key, hint) === 0 && sameOrder(spec.key, hint as Doc),
  );
  if (!found)
    throw new CommandError(
      'BadValue',
      'error processing query: planner returned error :: caused by :: hint provided does not correspond to an existing index',
    );
  return found;
}

export const sameOrder = (a: Doc, b: Doc): boolean => Object.keys(a).join() === Object.keys(b).join();

export const NO_CURSOR = Long.ZERO;
