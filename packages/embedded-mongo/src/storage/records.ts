import { crc32 } from 'node:zlib';
import { Doc, MAX_DOCUMENT, decode } from '../values/bson.js';
import type { Catalogue, Collection, Index } from './catalogue.js';
import { duplicateKey } from '../indexes/duplicate-key.js';
import { CommandError } from '../wire/errors.js';
import { joined } from '../values/order.js';
import { indexKeys } from '../values/paths.js';
import type { Slice } from '../server/slice.js';
import type { Store } from './store.js';

/**
 * A record id: 8 bytes, the first of them 1, so a key that ends with it cannot be mistaken for a longer value.
 * Ids increase and are never reused, so a collection's natural order is insertion order, and an id names one document.
 */
export type RecordId = Buffer;
const RECORD_ID = 8;
/** LMDB accepts keys of up to 1978 bytes. */
export const MAX_KEY = 1900;

/** How many keys are removed before the clock is checked again. */
const CHUNK_KEYS = 500;

export const prefix = (id: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(id);
  return bytes;
};

/** A record id as a number, which takes far less memory. */
export const numberOf = (id: RecordId): number => id.readUIntBE(2, 6);

export const recordId = (number: number): RecordId => {
  const id = Buffer.from([1, 0, 0, 0, 0, 0, 0, 0]);
  id.writeUIntBE(number, 2, 6);
  return id;
};

export const recordIdOf = (key: Buffer): RecordId => key.subarray(key.length - RECORD_ID);

/** The documents of a collection and their index entries. Everything except `read` needs a write transaction. */
export class Records {
  private readonly docKey = Buffer.alloc(4 + RECORD_ID);
  /** The last record ids ever assigned, by collection, as read within one write command. */
  private lastIds = new Map<number, number>();

  constructor(
    private readonly store: Store,
    private readonly catalogue: Catalogue,
  ) {}

  /** The document's bytes. @throws CommandError if they are not what was written. */
  read(collection: Collection, id: RecordId): Buffer | undefined {
    const { docs } = this.store;
    // lmdb reuses one buffer for this: far cheaper than one for each document.
    const record = docs.getBinaryFast(this.keyOf(collection, id));
    return record && verifiedDocument(record as Buffer, collection, (docs as unknown as { lastSize: number }).lastSize);
  }

  /**
   * The index as it is in the catalogue now.
   * @throws CommandError 175 if it, or the collection, was dropped since the query began.
   */
  current(collection: Collection, index: Index | undefined): Index | undefined {
    const now = this.catalogue.get(collection.namespace);
    const found = now?.indexes.find(({ id }) => id === index?.id);
    if (now?.id === collection.id && (found || !index)) return found;
    throw new CommandError('QueryPlanKilled', `${collection.namespace}: the collection or index was dropped`);
  }

  /** Call when a write command begins: another command, in any process, may have assigned ids. */
  begin(): void {
    this.lastIds.clear();
  }

  /** @throws CommandError 11000 and others, before anything is written. */
  insert(collection: Collection, bytes: Buffer, doc: Doc): void {
    const keys = this.entries(collection, bytes, doc);
    this.refuseDuplicates(collection, keys);
    const id = this.nextId(collection);
    this.store.put('docs', this.keyOf(collection, id), withChecksum(bytes));
    for (const [index, list] of keys) this.putKeys(collection, index, list, id);
  }

  /** @throws CommandError 11000 and others, before anything is written. */
  replace(collection: Collection, id: RecordId, before: Doc, bytes: Buffer, doc: Doc): void {
    const keys = this.entries(collection, bytes, doc);
    this.refuseDuplicates(collection, keys, id);
    const old = new Map(this.entries(collection, undefined, before));
    this.store.put('docs', this.keyOf(collection, id), withChecksum(bytes));
    for (const [index, list] of keys) {
      const gone = old.get(index)!.filter((key) => !list.some((other) => other.equals(key)));
      const fresh = list.filter((key) => !old.get(index)!.some((other) => other.equals(key)));
      for (const key of gone) this.store.remove('keys', Buffer.concat([key, id]));
      this.putKeys(collection, index, fresh, id, list.length > 1);
    }
  }

  remove(collection: Collection, id: RecordId, doc: Doc): void {
    for (const [, keys] of this.entries(collection, undefined, doc)) {
      for (const key of keys) this.store.remove('keys', Buffer.concat([key, id]));
    }
    if (numberOf(id) === this.lastId(collection)) this.store.put('meta', lastIdKey(collection.id), id);
    this.store.remove('docs', this.keyOf(collection, id));
  }

  /** Just past the key of the last document. */
  end(collection: Collection): Buffer {
    return Buffer.concat([prefix(collection.id), recordId(this.lastId(collection) + 1)]);
  }

  /**
   * Fills indexes that are being built, starting at a document key, until the time slice is over.
   * @returns where to continue, or undefined at the end. @throws CommandError 11000 and others
   */
  build(collection: Collection, indexes: Index[], from: Buffer, end: Buffer, slice: Slice): Buffer | undefined {
    for (const { key, value } of this.store.docs.getRange({ start: from, end })) {
      if (!key.equals(from) && slice.over()) return key;
      const id = recordIdOf(key);
      const doc = decode(verifiedDocument(value, collection));
      for (const index of indexes) {
        const keys = keysOf(index, doc);
        this.refuseDuplicates(collection, [[index, keys]], id);
        this.putKeys(collection, index, keys, id);
      }
    }
    return undefined;
  }

  /** Removes the data under the id of a collection or an index, until the slice is over. Returns whether it is all gone. */
  clear(table: 'docs' | 'keys', id: number, slice: Slice): boolean {
    for (;;) {
      const some = [...this.store[table].getKeys({ start: prefix(id), end: prefix(id + 1), limit: CHUNK_KEYS })];
      for (const key of some) this.store.remove(table, key);
      if (some.length < CHUNK_KEYS) break;
      if (slice.over()) return false;
    }
    if (table === 'docs') this.store.remove('meta', lastIdKey(id));
    return true;
  }

  private entries(collection: Collection, bytes: Buffer | undefined, doc: Doc): [Index, Buffer[]][] {
    if (bytes && bytes.length > MAX_DOCUMENT) {
      throw new CommandError(
        'BSONObjectTooLarge',
        `object to insert too large. size in bytes: ${bytes.length}, max size: ${MAX_DOCUMENT}`,
      );
    }
    return [...collection.indexes, ...collection.building].map((index) => [index, keysOf(index, doc)]);
  }

  private refuseDuplicates(collection: Collection, keys: [Index, Buffer[]][], except?: RecordId): void {
    for (const [index, list] of keys) {
      if (!index.unique) continue;
      for (const key of list) {
        const range = {
          start: Buffer.concat([key, Buffer.from([1])]),
          end: Buffer.concat([key, Buffer.from([2])]),
          limit: 2,
        };
        for (const found of this.store.keys.getKeys(range)) {
          if (except && recordIdOf(found).equals(except)) continue;
          throw duplicateKey(collection, index, this.read(collection, recordIdOf(found)), key, prefix(index.id));
        }
      }
    }
  }

  private putKeys(collection: Collection, index: Index, keys: Buffer[], id: RecordId, many = keys.length > 1): void {
    for (const key of keys) this.store.put('keys', Buffer.concat([key, id]), NOTHING);
    if (!many || index.multikey) return;
    index.multikey = true;
    this.catalogue.save(collection);
  }

  private nextId(collection: Collection): RecordId {
    const number = this.lastId(collection) + 1;
    this.lastIds.set(collection.id, number);
    return recordId(number);
  }

  /** The last record id ever assigned: that of the last document, or a higher one that `remove` has stored. */
  private lastId({ id }: Collection): number {
    let number = this.lastIds.get(id);
    if (number !== undefined) return number;
    const [last] = this.store.docs.getKeys({ start: prefix(id + 1), end: prefix(id), reverse: true, limit: 1 });
    const removed = this.store.meta.getBinary(lastIdKey(id));
    number = Math.max(last ? numberOf(recordIdOf(last)) : 0, removed ? numberOf(removed) : 0);
    this.lastIds.set(id, number);
    return number;
  }

  /** Reuses one buffer: lmdb copies a key immediately. */
  private keyOf(collection: Collection, id: RecordId): Buffer {
    this.docKey.writeUInt32BE(collection.id);
    id.copy(this.docKey, 4);
    return this.docKey;
  }
}

const NOTHING = Buffer.alloc(0);

const lastIdKey = (collection: number): Buffer => Buffer.from(`last:${collection}`);

/** Prefixes a document with a checksum. LMDB has none, and a damaged byte must not be returned as data. */
function withChecksum(bytes: Buffer): Buffer {
  const record = Buffer.allocUnsafe(bytes.length + 4);
  record.writeUInt32LE(crc32(bytes));
  bytes.copy(record, 4);
  return record;
}

/** A copy of the document in a record. @throws CommandError if its checksum does not match. */
export function verifiedDocument(record: Uint8Array, collection: Collection, size = record.length): Buffer {
  const bytes = Buffer.allocUnsafe(size - 4);
  Buffer.prototype.copy.call(record, bytes, 0, 4, size);
  const sum = record[0]! + record[1]! * 2 ** 8 + record[2]! * 2 ** 16 + record[3]! * 2 ** 24;
  if (crc32(bytes) === sum) return bytes;
  throw new CommandError('InternalError', `a document of ${collection.namespace} is damaged on the disk`);
}

/** A document's keys in an index, without the record id. */
export function keysOf(index: Index, doc: Doc): Buffer[] {
  if (index.partial && !index.partial(doc)) return [];
  const values = indexKeys(doc, index.paths);
  if (index.sparse && values.every((list) => list.every((value) => value === undefined))) return [];
  const head = prefix(index.id);
  const keys = values.map((list) => joined(list, index.descending, head));
  for (const key of keys) {
    if (key.length > MAX_KEY)
      throw new CommandError(
        'KeyTooLong',
        `key of ${key.length} bytes is too large for the index ${index.spec.name}, limit ${MAX_KEY}`,
      );
  }
  return keys.length === 1 ? keys : [...new Map(keys.map((key) => [key.toString('latin1'), key])).values()];
}
