import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Reserve, writeFailure } from './disk.js';
import { Environment, Table, openEnvironment } from './environment.js';
import { CommandError } from './errors.js';
import { WriteQueue } from './write-queue.js';

export interface StoreOptions {
  /** Mapped bytes of a process above which the store releases its own. */
  maxMapped?: number;
  /** Hears what an operator should know. */
  warn?: (message: string) => void;
}

const MAX_MAPPED = 160 * 1024 * 1024;
const TEND_MS = 1000;
/** How often a full disk is told of. */
const TELL_FULL_MS = 60_000;

/**
 * The tables, and the queue of what is to be written. Processes that open the same directory share them; nothing that
 * matters is kept in memory.
 */
export class Store {
  /** Set while the file is being opened anew: a command has to wait for it before it reads. Never rejects. */
  ready?: Promise<void>;
  /** Rises when a transaction was lost: what was read within it is not to be kept. */
  losses = 0;
  private environment?: Environment;
  /** Tells the file from another one that has taken its name. */
  private inode?: bigint;
  private readonly directory: string;
  private readonly file: string;
  private readonly reserve?: Reserve;
  private readonly forget: boolean;
  private readonly timer: NodeJS.Timeout;
  private readonly maxMapped: number;
  private readonly warn: (message: string) => void;
  private readonly queue: WriteQueue;
  /** The last thing that `warn` was told, so that it is told once. */
  private warned?: string;
  private toldFull = -Infinity;

  /** @throws Error when the file is damaged, is not this program's, or is of another format. */
  constructor(path: string, { maxMapped = MAX_MAPPED, warn = () => undefined }: StoreOptions = {}) {
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
      // What LMDB has in memory of a transaction that failed is not to be trusted.
      recover: () => {
        this.losses++;
        return this.reopen();
      },
      refused: ({ message }) => this.tellFull(message),
    });
    try {
      this.open();
    } catch (error) {
      throw writeFailure(error);
    }
    this.timer = setInterval(() => this.tend(), TEND_MS).unref();
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

  /** Makes what follows, up to the next await, see the newest commit of any process, and all of it the same one. */
  refresh(): void {
    this.opened.root.resetReadTxn();
  }

  /**
   * Runs `run` in a write transaction and resolves when its commit is on the disk. What comes while a commit is in
   * progress goes into the next one together. An error that `run` throws rejects only its own promise: it has to throw
   * before it writes. When a commit fails, `run` may be called again, in a transaction of its own.
   *
   * @param options removes: it makes room, so on a full disk it may use what is kept in reserve
   * @throws CommandError 14031 when the disk is full
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
    throw new CommandError('ShutdownInProgress', `the store is not open: ${this.warned ?? 'it was closed'}`);
  }

  private open(): void {
    // LMDB has had this very file open, so it need not be looked through again.
    const known = this.inode !== undefined && this.inode === this.currentInode();
    this.environment = openEnvironment(this.file, { noSync: this.forget, known });
    this.inode = this.currentInode();
  }

  private currentInode(): bigint | undefined {
    return statSync(this.file, { bigint: true, throwIfNoEntry: false })?.ino;
  }

  private tend(): void {
    if (this.queue.busy || this.ready || this.forget) return;
    this.reserve?.keep();
    if (!this.environment) void this.reopen();
    else if (mapped() >= this.maxMapped) void this.letGo();
  }

  /**
   * Reading maps the file's pages into the process, in the end all of them, and a container's limit counts those.
   * Opening the file anew lets them go; what is needed comes back from the system's cache.
   */
  private letGo(): Promise<void> | undefined {
    if (this.currentInode() === this.inode) return this.reopen();
    this.tell(`${this.file} was moved or replaced; what is open goes on being used`);
    return undefined;
  }

  /** LMDB cannot have a file open twice in a process, so it is closed first. Where opening fails, `tend` tries again. */
  private reopen(): Promise<void> {
    // A file without a name cannot be opened again.
    if (this.forget) return Promise.resolve();
    const { environment } = this;
    this.environment = undefined;
    this.ready = (async () => {
      try {
        await environment?.root.close();
        this.open();
        this.warned = undefined;
      } catch (error) {
        this.tell(`${this.file} cannot be opened: ${(error as Error).message}`);
      } finally {
        this.ready = undefined;
      }
    })();
    return this.ready;
  }

  private tellFull(reason: string): void {
    if (performance.now() < this.toldFull + TELL_FULL_MS) return;
    this.toldFull = performance.now();
    this.warn(`the disk of ${this.file} is full (${reason}): what writes is refused, reading goes on`);
  }

  private tell(message: string): void {
    if (message !== this.warned) this.warn(message);
    this.warned = message;
  }
}

/** Bytes of files that are mapped into this process, where the system tells. */
function mapped(): number {
  if (process.platform !== 'linux') return 0;
  const [, , shared] = readFileSync('/proc/self/statm', 'utf8').split(' ');
  return Number(shared) * 4096;
}
