import { randomUUID } from 'node:crypto';
import { Doc, decode, encode } from '../values/bson.js';
import type { Test } from '../query/predicates.js';
import { matcher } from '../query/match.js';
import type { Store } from './store.js';

/** An index as the client defined it, and values derived from that. */
export interface Index {
  id: number;
  /** As `listIndexes` shows it: `key`, `name`, `unique`, `sparse`, … */
  spec: Doc;
  fields: { path: string; parts: string[]; descending: boolean }[];
  /** The field paths, and their directions. */
  paths: string[][];
  descending: boolean[];
  unique: boolean;
  sparse: boolean;
  /** Set once any document has had more than one key in this index. */
  multikey: boolean;
  partial?: Test;
}

export interface Collection {
  id: number;
  /** `database.collection` */
  namespace: string;
  uuid: string;
  options: Doc;
  /** The first is always the `_id` index. */
  indexes: Index[];
  /** Indexes being built: every write maintains them, no query uses them. */
  building: Index[];
}

const VERSION = Buffer.from('version');
const PREFIX = 'collection:';
const TRASH = 'trash:';
const key = (namespace: string): Buffer => Buffer.from(PREFIX + namespace);

/** The collections and indexes. They are kept in the store, and reloaded whenever any process has changed them. */
export class Catalogue {
  private collections = new Map<string, Collection>();
  private version = -1;
  private losses = 0;

  constructor(private readonly store: Store) {}

  /** Call before a command reads. Compares the version, and reloads only if it changed. */
  refresh(): void {
    if (this.losses !== this.store.losses) this.forget();
    this.losses = this.store.losses;
    const version = this.storedVersion();
    if (version === this.version) return;
    this.collections = new Map();
    for (const { value } of this.store.meta.getRange({
      start: Buffer.from(PREFIX),
      end: Buffer.from(`${PREFIX}\xff`, 'latin1'),
    })) {
      const { indexes, building = [], ...rest } = decode(value);
      this.collections.set(rest.namespace, {
        ...(rest as Collection),
        indexes: indexes.map(index),
        building: building.map(index),
      });
    }
    this.version = version;
  }

  get(namespace: string): Collection | undefined {
    return this.collections.get(namespace);
  }

  all(): Collection[] {
    return [...this.collections.values()];
  }

  /** Call within a write transaction. */
  create(namespace: string, options: Doc = {}): Collection {
    const id = { id: this.nextId(), spec: { v: 2, key: { _id: 1 }, name: '_id_' }, multikey: false };
    const made: Collection = {
      id: this.nextId(),
      namespace,
      uuid: randomUUID(),
      options,
      indexes: [index(id)],
      building: [],
    };
    this.save(made);
    return made;
  }

  /** Call within a write transaction. The caller removes the documents and keys. */
  remove(collection: Collection): void {
    this.store.remove('meta', key(collection.namespace));
    this.changed();
  }

  /** Call within a write transaction. No collection may have the new name. */
  rename(collection: Collection, namespace: string): void {
    this.remove(collection);
    this.save({ ...collection, namespace });
  }

  /** Call within a write transaction. Defines an index; the caller fills it. */
  addIndex(collection: Collection, spec: Doc): Index {
    const made = index({ id: this.nextId(), spec, multikey: false });
    collection.building = [...collection.building, made];
    this.save(collection);
    return made;
  }

  /** Call within a write transaction. Writes the collection's current entry. */
  save(collection: Collection): void {
    const stored = ({ id, spec, multikey }: Index): Doc => ({ id, spec, multikey });
    const [indexes, building] = [collection.indexes.map(stored), collection.building.map(stored)];
    this.store.put('meta', key(collection.namespace), encode({ ...collection, indexes, building }));
    this.changed();
  }

  /** Call within a write transaction. Records that the data under the id of a dropped collection or index is to be removed. */
  discard(table: 'docs' | 'keys', id: number): void {
    this.store.put('meta', Buffer.from(`${TRASH}${table}:${id}`), Buffer.from('1'));
  }

  /** Call within a write transaction. Returns a pending removal, and a callback that clears its record. */
  discarded(): { table: 'docs' | 'keys'; id: number; done: () => void } | undefined {
    const range = { start: Buffer.from(TRASH), end: Buffer.from(`${TRASH}\xff`, 'latin1'), limit: 1 };
    const [note] = this.store.meta.getKeys(range);
    if (!note) return undefined;
    const [, table, id] = note.toString().split(':');
    return { table: table as 'docs' | 'keys', id: Number(id), done: () => this.store.remove('meta', note) };
  }

  /** Discards what was read, after a transaction that did not commit. */
  forget(): void {
    this.version = -1;
  }

  private changed(): void {
    const bytes = Buffer.alloc(6);
    bytes.writeUIntBE(this.storedVersion() + 1, 0, 6);
    this.store.put('meta', VERSION, bytes);
    // The next refresh reloads everything, so this process sees a change as the others do.
    this.version = -1;
  }

  private storedVersion(): number {
    return this.store.meta.getBinary(VERSION)?.readUIntBE(0, 6) ?? 0;
  }

  private nextId(): number {
    const name = Buffer.from('next');
    const next = (this.store.meta.getBinary(name)?.readUInt32BE() ?? 0) + 1;
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(next);
    this.store.put('meta', name, bytes);
    return next;
  }
}

function index({ id, spec, multikey }: Doc): Index {
  const fields = Object.entries(spec.key).map(([path, direction]) => ({
    path,
    parts: path.split('.'),
    descending: Number(direction) < 0,
  }));
  return {
    id,
    spec,
    multikey,
    fields,
    paths: fields.map(({ parts }) => parts),
    descending: fields.map(({ descending }) => descending),
    unique: spec.unique === true || spec.name === '_id_',
    sparse: spec.sparse === true,
    ...(spec.partialFilterExpression && { partial: matcher(spec.partialFilterExpression) }),
  };
}
