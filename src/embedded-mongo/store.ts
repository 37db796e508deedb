import { existsSync, mkdirSync, mkdtempSync, openSync, readSync, closeSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open } from 'lmdb';
import type { Database, RootDatabase } from 'lmdb';

type Table = Database<Buffer, Buffer>;
const binary = { keyEncoding: 'binary', encoding: 'binary' } as const;
const FORMAT = Buffer.from('format');
const VERSION = 'embedded-mongo 1';
const LMDB_MAGIC = 0xbeefc0de;
/** Address space only: growing the map would leave the old ones mapped beside it. It still grows when this is full. */
const MAP = 2 ** 34;

/**
 * The LMDB environment: documents and index entries in two ordered tables, the catalogue in a third. Processes that
 * open the same directory share it; nothing that matters is kept in memory.
 */
export class Store {
  readonly docs: Table;
  readonly keys: Table;
  readonly meta: Table;
  private readonly root: RootDatabase;
  private readonly directory: string;
  private queue: { run: () => unknown; resolve: (value: any) => void; reject: (error: unknown) => void }[] = [];
  private writing = false;

  /** @throws Error when the file is damaged, is not this program's, or is of another format. */
  constructor(
    path: string,
    private readonly forget = path === ':memory:',
  ) {
    this.directory = forget ? mkdtempSync(join(tmpdir(), 'embedded-mongo-')) : path;
    mkdirSync(this.directory, { recursive: true, mode: 0o700 });
    const file = join(this.directory, 'embedded-mongo.mdb');
    refuseForeign(file);
    // Without overlapping syncs a transaction is on the disk when it is committed, in every process that looks.
    this.root = open({
      path: file,
      noSubdir: true,
      mapSize: MAP,
      overlappingSync: false,
      noSync: forget,
      maxReaders: 512,
      permissionsMode: 0o600,
      ...binary,
    } as object);
    this.docs = this.root.openDB('docs', binary);
    this.keys = this.root.openDB('keys', binary);
    this.meta = this.root.openDB('meta', binary);
    const found = this.meta.transactionSync(() => {
      const format = this.meta.get(FORMAT);
      if (!format && this.meta.getKeysCount({ limit: 1 }) === 0) this.meta.putSync(FORMAT, Buffer.from(VERSION));
      return format?.toString() ?? VERSION;
    });
    if (found !== VERSION) throw new Error(`${file} has the format "${found}", this program reads "${VERSION}"`);
  }

  /** Makes what follows, up to the next await, see the newest commit of any process, and all of it the same one. */
  refresh(): void {
    this.root.resetReadTxn();
  }

  /**
   * Runs `run` in a write transaction and resolves when its commit is on the disk. What comes while a commit is under
   * way goes into the next one together. An error that `run` throws rejects only its own promise: it has to throw
   * before it writes.
   */
  write<T>(run: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      this.queue.push({ run, resolve, reject });
      if (!this.writing) void this.drain();
    });
  }

  private async drain(): Promise<void> {
    this.writing = true;
    while (this.queue.length) {
      let batch: typeof this.queue = [];
      const finish: (() => void)[] = [];
      try {
        await this.root.transaction(() => {
          batch = this.queue;
          this.queue = [];
          for (const { run, resolve, reject } of batch) {
            try {
              const value = run();
              finish.push(() => resolve(value));
            } catch (error) {
              finish.push(() => reject(error));
            }
          }
        });
        for (const end of finish) end();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.writing = false;
  }

  async close(): Promise<void> {
    await this.write(() => undefined);
    await this.root.close();
    if (this.forget) rmSync(this.directory, { recursive: true, force: true });
  }
}

/** LMDB's own header: the magic number stands behind the 16 or 24 bytes of the first page's. */
function refuseForeign(file: string): void {
  if (!existsSync(file)) return;
  const head = Buffer.alloc(64);
  const handle = openSync(file, 'r');
  const length = readSync(handle, head, 0, 64, 0);
  closeSync(handle);
  if (length === 0) return;
  for (let at = 0; at + 4 <= length; at += 4) if (head.readUInt32LE(at) === LMDB_MAGIC) return;
  throw new Error(`${file} is damaged or was not written by this program; it is left as it is`);
}
