import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Reserve, makeRoom, writeFailure } from './disk.js';
import { Environment, Table, openEnvironment } from './environment.js';
import { CommandError } from '../wire/errors.js';
import { WriteQueue } from './write-queue.js';

export interface StoreOptions {
  /** The total size of a process's file mappings above which the store remaps its own, in bytes. */
  maxMapped?: number;
  /** Called with warnings for the operator. */
  warn?: (message: string) => void;
}

const MAX_MAPPED_BYTES = 160 * 1024 * 1024;
const MAINTENANCE_INTERVAL_MS = 1000;
/** How often a full disk is reported, in milliseconds. */
const FULL_WARNING_INTERVAL_MS = 60_000;

/** The tables and the write queue. Processes that open the same directory share them: nothing is kept in memory only. */
export class Store {
  /** Set while the file is being reopened: a command has to wait for it before it reads. Never rejects. */
  ready?: Promise<void>;
  /** Incremented when a transaction was lost. Discard what was read within it. */
  losses = 0;
  readonly warn: (message: string) => void;
  private environment?: Environment;
  /** Tells the file from another one with the same name. */
  private inode?: bigint;
  private readonly directory: string;
  private readonly file: string;
  private readonly reserve?: Reserve;
  private readonly forget: boolean;
  private readonly timer: NodeJS.Timeout;
  private readonly maxMapped: number;
  private readonly queue: WriteQueue;
  /** Bytes that the transaction may need, and for which no room was made yet. */
  private expected = 0;
  /** The last warning, so that it is not repeated. */
  private lastWarning?: string;
  private fullWarnedAt = -Infinity;

  /** @throws Error if the file is damaged, belongs to another program, or has another format. */
  constructor(path: string, { maxMapped = MAX_MAPPED_BYTES, warn = () => undefined }: StoreOptions = {}) {
    this.maxMapped = maxMapped;
    this.warn = warn;
    this.forget = path === ':memory:';
    this.directory = this.forget ? mkdtempSync(join(tmpdir(), 'embedded-mongo-')) : path;
    mkdirSync(this.directory, { recursive: true, mode: 0o700 });
    this.file = join(this.directory, 'embedded-mongo.mdb');
    if (!this.forget) this.reserve = new Reserve(join(this.directory, 'reserve'));
    this.queue = new WriteQueue({
      reserve: this.reserve,
      transaction: async (run) => {
        await this.ready;
        await this.opened.root.transaction(run);
      },
      expectRoom: (bytes) => (this.expected = bytes),
      // LMDB's in-memory state of a failed transaction cannot be trusted. One without room has changed nothing.
      recover: async () => {
        this.losses++;
        if (this.expected === 0) await this.reopen();
      },
      refused: ({ message }) => this.warnFull(message),
    });
    try {
      this.open();
    } catch (error) {
      throw writeFailure(error);
    }
    this.timer = setInterval(() => this.maintain(), MAINTENANCE_INTERVAL_MS).unref();
    // An open file needs no name, so not even a killed process leaves one behind.
    if (this.forget && process.platform !== 'win32') rmSync(this.directory, { recursive: true });
    this.reserve?.keep();
  }

  get docs(): Table {
    return this.opened.docs;
  }

  get keys(): Table {
    return this.opened.keys;
  }

  get meta(): Table {
    return this.opened.meta;
  }

  /** Call within a write transaction. @throws Error if there is no room: then nothing of the transaction is written */
  put(table: 'docs' | 'keys' | 'meta', key: Buffer, value: Buffer): void {
    this.makeRoom();
    this[table].putSync(key, value);
  }

  remove(table: 'docs' | 'keys' | 'meta', key: Buffer): void {
    this.makeRoom();
    this[table].removeSync(key);
  }

  private makeRoom(): void {
    if (this.expected && this.currentInode() === this.inode)
      makeRoom(this.file, this.opened.root, [this.docs, this.keys, this.meta], this.expected);
    this.expected = 0;
  }

  /** Makes subsequent reads, until the next await, see the newest commit of any process, and all of them the same one. */
  refresh(): void {
    this.opened.root.resetReadTxn();
  }

  /**
   * Runs `run` in a write transaction and resolves when its commit is on the disk. Writes that arrive during a commit
   * share the next one. An error that `run` throws rejects only its own promise, so it has to throw
   * before it writes. If a commit fails, `run` may be called again, in a transaction of its own.
   *
   * @param options removes: it frees disk space, so on a full disk it may use the reserve
   * @throws CommandError 14031 if the disk is full
   */
  write<T>(run: () => T, { removes = false } = {}): Promise<T> {
    return this.queue.add(run, removes);
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.queue.idle();
    await this.ready;
    const { environment } = this;
    this.environment = undefined;
    await environment?.root.close();
    if (this.forget) rmSync(this.directory, { recursive: true, force: true });
  }

  private get opened(): Environment {
    if (this.environment) return this.environment;
    throw new CommandError('ShutdownInProgress', `the store is not open: ${this.lastWarning ?? 'it was closed'}`);
  }

  private open(): void {
    // LMDB had this very file open before, so it need not be checked again.
    const known = this.inode !== undefined && this.inode === this.currentInode();
    this.environment = openEnvironment(this.file, { noSync: this.forget, known });
    this.inode = this.currentInode();
  }

  private currentInode(): bigint | undefined {
    return statSync(this.file, { bigint: true, throwIfNoEntry: false })?.ino;
  }

  private maintain(): void {
    if (this.queue.busy || this.ready || this.forget) return;
    this.reserve?.keep();
    if (!this.environment) void this.reopen();
    else if (mapped() >= this.maxMapped) void this.remap();
  }

  /** Reads map the file's pages into the process, whose memory limit counts them. Reopening the file releases them. */
  private remap(): Promise<void> | undefined {
    if (this.currentInode() === this.inode) return this.reopen();
    this.warnOnce(`${this.file} was moved or replaced; the open file stays in use`);
    return undefined;
  }

  /** LMDB cannot have a file open twice in a process, so it is closed first. If opening fails, `maintain` retries. */
  private reopen(): Promise<void> {
    // A file without a name cannot be reopened.
    if (this.forget) return Promise.resolve();
    const { environment } = this;
    this.environment = undefined;
    this.ready = (async () => {
      try {
        await environment?.root.close();
        this.open();
        this.lastWarning = undefined;
      } catch (error) {
        this.warnOnce(`${this.file} cannot be opened: ${(error as Error).message}`);
      } finally {
        this.ready = undefined;
      }
    })();
    return this.ready;
  }

  private warnFull(reason: string): void {
    if (performance.now() < this.fullWarnedAt + FULL_WARNING_INTERVAL_MS) return;
    this.fullWarnedAt = performance.now();
    this.warn(`the disk of ${this.file} is full (${reason}): writes are rejected, reads continue`);
  }

  private warnOnce(message: string): void {
    if (message !== this.lastWarning) this.warn(message);
    this.lastWarning = message;
  }
}

/** Bytes of files mapped into this process, if the system reports it. */
function mapped(): number {
  if (process.platform !== 'linux') return 0;
  const [, , shared] = readFileSync('/proc/self/statm', 'utf8').split(' ');
  return Number(shared) * 4096;
}
