import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Environment, Table, openEnvironment } from './environment.js';

interface Write {
  run: () => unknown;
  resolve: (value: any) => void;
  reject: (error: unknown) => void;
}

const MAX_MAPPED = 160 * 1024 * 1024;

/**
 * The tables, and the queue of what is to be written. Processes that open the same directory share them; nothing that
 * matters is kept in memory.
 */
export class Store {
  /** Set while the file is being opened anew: a command has to wait for it before it reads. */
  ready?: Promise<void>;
  private environment: Environment;
  private readonly directory: string;
  private readonly file: string;
  private readonly forget: boolean;
  private readonly timer = setInterval(() => this.letGo(), 1000).unref();
  private queue: Write[] = [];
  private writing = false;
  /** The file is not open; where opening it anew failed, the next second tries again. */
  private closed = false;

  /**
   * @param maxMapped bytes of files in the process from which on the store lets go of its own.
   * @throws Error when the file is damaged, is not this program's, or is of another format.
   */
  constructor(
    path: string,
    private readonly maxMapped = MAX_MAPPED,
  ) {
    this.forget = path === ':memory:';
    this.directory = this.forget ? mkdtempSync(join(tmpdir(), 'embedded-mongo-')) : path;
    mkdirSync(this.directory, { recursive: true, mode: 0o700 });
    this.file = join(this.directory, 'embedded-mongo.mdb');
    try {
      this.environment = openEnvironment(this.file, this.forget);
    } catch (error) {
      clearInterval(this.timer);
      throw error;
    }
    // An open file needs no name, so not even a killed process leaves one behind.
    if (this.forget && process.platform !== 'win32') rmSync(this.directory, { recursive: true });
  }

  get docs(): Table {
    return this.environment.docs;
  }

  get keys(): Table {
    return this.environment.keys;
  }

  get meta(): Table {
    return this.environment.meta;
  }

  /** Makes what follows, up to the next await, see the newest commit of any process, and all of it the same one. */
  refresh(): void {
    this.environment.root.resetReadTxn();
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

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.write(() => undefined);
    await this.environment.root.close();
    if (this.forget) rmSync(this.directory, { recursive: true, force: true });
  }

  private async drain(): Promise<void> {
    this.writing = true;
    while (this.queue.length) {
      let batch: Write[] = [];
      const finish: (() => void)[] = [];
      try {
        await this.environment.root.transaction(() => {
          batch = this.queue.splice(0);
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
        // A transaction that could not even begin has taken nothing from the queue.
        for (const { reject } of batch.length ? batch : this.queue.splice(0)) reject(error);
      }
    }
    this.writing = false;
  }

  /**
   * Reading maps the file's pages into the process, in the end all of them, and a container's limit counts those.
   * Opening the file anew lets them go; what is needed comes back from the system's cache.
   */
  private letGo(): void {
    if (this.writing || this.forget || (!this.closed && mapped() < this.maxMapped)) return;
    this.writing = true;
    this.closed = true;
    this.ready = this.environment.root
      .close()
      .then(() => {
        this.environment = openEnvironment(this.file, false);
        this.closed = false;
      })
      .finally(() => {
        this.ready = undefined;
        void this.drain();
      });
    // Each command that waits gets the error itself.
    this.ready.catch(() => undefined);
  }
}

/** Bytes of files that are mapped into this process, where the system tells. */
function mapped(): number {
  if (process.platform !== 'linux') return 0;
  const [, , shared] = readFileSync('/proc/self/statm', 'utf8').split(' ');
  return Number(shared) * 4096;
}
