import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open } from 'lmdb';
import type { Database, RootDatabase } from 'lmdb';
import { checkHeader } from './header.js';

type Table = Database<Buffer, Buffer>;
const binary = { keyEncoding: 'binary', encoding: 'binary' } as const;
const FORMAT = Buffer.from('format');
const VERSION = 'embedded-mongo 1';
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
    if (existsSync(file)) checkHeader(file);
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
    try {
      this.refuseOthers(file);
    } catch (error) {
      void this.root.close();
      throw error;
    }
    this.docs = this.root.openDB('docs', binary);
    this.keys = this.root.openDB('keys', binary);
    this.meta = this.root.openDB('meta', binary);
    this.meta.transactionSync(() => {
      if (!this.meta.get(FORMAT)) this.meta.putSync(FORMAT, Buffer.from(VERSION));
    });
    // An open file needs no name, so not even a killed process leaves one behind.
    if (forget && process.platform !== 'win32') rmSync(this.directory, { recursive: true });
  }

  /** Before anything is written: another program's tables are not to be added to, another format not to be read. */
  private refuseOthers(file: string): void {
    // Names end with a zero.
    const tables = [...this.root.getKeys()].map((name) => String(name).replace('\0', ''));
    if (!tables.length) return;
    const meta = tables.includes('meta') ? this.root.openDB('meta', binary) : undefined;
    const format = meta?.get(FORMAT)?.toString();
    // A process may have been ended between making the tables and writing the format.
    if (format === VERSION || (!format && meta?.getKeysCount() === 0)) return;
    if (!format) throw new Error(`${file} was written by another program; it is left as it is`);
    throw new Error(`${file} has the format "${format}", this program reads "${VERSION}"; it is left as it is`);
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
