import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import mongoose, { type Connection, type ConnectOptions } from 'mongoose';
import { DatabaseUnavailableError, isDatabaseUnavailable, isSocketError } from './database-unavailable.js';
import { preparing } from './database-refused.js';
import { DatabaseServer } from './database.server.js';
import { findBytes, type FindCommand, type FoundBytes } from './find-bytes.js';
import { buildIndexes } from './indexes.js';
import { unknownCollections } from './unknown-collections.js';
import { explanationOf } from './start-failure.js';
import { loggerOf } from '../logging/index.js';
import { afterLimit } from '../waits/index.js';

const RETRY_PAUSE_MS = 500;

/** How long is waited for the database, in milliseconds. These are a service's values. */
export class DatabaseTimeouts {
  /** For a start, which then goes on without it. */
  readonly start: number = 5000;
  /** For a connection, and for a server that takes writes. */
  readonly connection: number = 1000;
  /** For one operation: below the 1.5 s in which a request must be refused. */
  readonly operation: number = 1200;
  /** Whether a start, once the database answers, waits until all is prepared, however long migrations take. */
  readonly untilPrepared: boolean = false;
}

/** Stock settings wait 30 s for a dead server and for ever for a frozen one. */
const connectionOptions = ({ connection }: DatabaseTimeouts): ConnectOptions => ({
  appName: 'avatar-chat-service',
  serverSelectionTimeoutMS: connection,
  connectTimeoutMS: connection,
  waitQueueTimeoutMS: connection,
  heartbeatFrequencyMS: 1000,
  // Only a backstop: heartbeats cut the sockets of a frozen server, and building an index may take a while.
  socketTimeoutMS: 60_000,
  bufferCommands: false,
});

/**
 * The one connection: opened in the background and opened again until it stands, so that the service starts, answers
 * and recovers whether or not the database is there.
 */
@Injectable()
export class Database implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = loggerOf(Database.name);
  private readonly whenConnected: Array<() => Promise<void>> = [];
  private readonly whenReady: Array<() => Promise<void>> = [];
  private closing = false;
  private prepared = false;
  private isConnected = false;

  constructor(
    @InjectConnection() private readonly connection: Connection,
    private readonly server: DatabaseServer,
    private readonly timeouts: DatabaseTimeouts,
  ) {
    // Not `readyState`: that of Mongoose takes a clock that was set forward for a connection that has gone stale.
    connection.on('connected', () => (this.isConnected = true));
    for (const event of ['connecting', 'disconnecting', 'disconnected'])
      connection.on(event, () => (this.isConnected = false));
  }

  /** Connected, with every index built and every `onReady` done. */
  get ready(): boolean {
    return this.prepared && this.isConnected;
  }

  /** Registers work that must be done before indexes are built and anything else reads the data. Call it in a constructor. */
  onConnected(work: () => Promise<void>): void {
    this.whenConnected.push(work);
  }

  /** Registers work that needs the database and must be done before the service is ready. Call it in a constructor. */
  onReady(work: () => Promise<void>): void {
    this.whenReady.push(work);
  }

  /** @internal Nest calls it, once every room has registered its work. */
  async onApplicationBootstrap(): Promise<void> {
    const prepared = this.prepare();
    try {
      await Promise.race([prepared, this.waited()]);
    } catch (error) {
      // What failed to start is never shut down, and an open connection would keep its process alive.
      await this.onApplicationShutdown();
      throw error;
    }
    // A start that went on without the database cannot fail any more, but it must not go on with a broken one either.
    if (!this.prepared) prepared.catch((error: unknown) => this.abandon(error));
  }

  /** @internal */
  async onApplicationShutdown(): Promise<void> {
    this.closing = true;
    await this.connection.close();
    await this.server.stop();
  }

  /**
   * Runs one database operation against the clock.
   *
   * @throws DatabaseUnavailableError after 1.2 s (on the command line 30 s), or at once where there is no connection.
   */
  async run<T extends PromiseLike<unknown>>(operation: () => T): Promise<Awaited<T>> {
    if (!this.isConnected) throw new DatabaseUnavailableError();
    let stop!: () => void;
    const deadline = new Promise<never>((_, reject) => {
      stop = afterLimit(this.timeouts.operation, () => reject(new DatabaseUnavailableError()));
    });
    try {
      return await Promise.race([operation(), deadline]);
    } catch (error) {
      throw isSocketError(error) ? new DatabaseUnavailableError() : error;
    } finally {
      stop();
    }
  }

  /**
   * Reads documents as bytes, as {@link findBytes} does, against the clock.
   *
   * @throws DatabaseUnavailableError as {@link run}
   */
  findBytes(command: FindCommand): Promise<FoundBytes> {
    return this.run(() => findBytes(this.connection, command));
  }

  /** Collections with data for which this process has no model, such as those of modules that it does not have. */
  unknownCollections(): Promise<string[]> {
    return this.run(() => unknownCollections(this.connection));
  }

  /** One round trip to the server. */
  async ping(): Promise<void> {
    await this.run(async () => this.connection.db?.command({ ping: 1 }));
  }

  /** Tries until the database answers; what it refuses when it does is thrown. */
  private async prepare(): Promise<void> {
    for (let complained = false; !this.closing; await delay(RETRY_PAUSE_MS)) {
      try {
        await this.connect();
        for (const work of this.whenConnected) await preparing('to be prepared', work);
        await Promise.all(Object.values(this.connection.models).map(buildIndexes));
        for (const work of this.whenReady) await preparing('to be prepared', work);
        this.prepared = true;
        return;
      } catch (error) {
        if (this.closing) return;
        if (!isDatabaseUnavailable(error)) throw error;
        if (!complained) this.logger.warn('The database does not answer; trying on');
        complained = true;
      }
    }
  }

  /** Settles once a start has waited long enough. */
  private async waited(): Promise<void> {
    do await delay(this.timeouts.start, undefined, { ref: false });
    while (this.timeouts.untilPrepared && this.isConnected && !this.prepared);
  }

  private abandon(error: unknown): void {
    this.logger.fatal(explanationOf(error), error);
    // A shutdown by a signal ends with 0.
    process.once('exit', () => (process.exitCode = 1));
    process.kill(process.pid, 'SIGTERM');
  }

  private async connect(): Promise<void> {
    if (this.isConnected) return;
    if (this.connection.readyState === mongoose.ConnectionStates.connecting) await this.connection.asPromise();
    else await this.connection.openUri(await this.server.start(), connectionOptions(this.timeouts));
  }
}
