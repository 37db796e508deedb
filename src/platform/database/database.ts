import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import type { Connection, mongo } from 'mongoose';
import { BoundedClient, type CommandFollower, LONGEST_OPERATION_MS } from './bounded-client.js';
import { DatabaseUnavailableError, isDatabaseUnavailable, isSocketError } from './database-unavailable.js';
import { preparing } from './database-refused.js';
import { isDuplicateKey } from './duplicate-key.js';
import { DatabaseServer } from './database.server.js';
import { findBytes, type FindCommand, type FoundBytes } from './find-bytes.js';
import { isRecording, afterLimit } from 'avatar-chat-runtime';
import { traceCommand } from './command.spans.js';
import { buildIndexes } from './indexes.js';
import { unknownCollections } from './unknown-collections.js';
import { explanationOf } from './start-failure.js';
import { loggerOf } from '../logging/index.js';

const RETRY_PAUSE_MS = 500;
/** How long a client has to reconnect by itself. */
const RECONNECTION_MS = 5000;

/** Timeouts of the database, in milliseconds. The defaults are those of a service. */
export class DatabaseTimeouts {
  /** Startup, which continues without the database afterwards. */
  readonly start: number = 5000;
  /** Startup with a database that responds, but is still being prepared; migrations may take longer. */
  readonly preparation: number = 30_000;
  /** Connecting and server selection. */
  readonly connection: number = 1000;
  /** One operation: below the 1.5 s after which a request must be refused. */
  readonly operation: number = 1200;
}

/** The defaults wait 30 s for a dead server and forever for a frozen one. */
const clientOptions = ({ connection, operation }: DatabaseTimeouts): mongo.MongoClientOptions => ({
  appName: 'avatar-chat-service',
  serverSelectionTimeoutMS: connection,
  connectTimeoutMS: connection,
  // Waiting for a free connection is a part of the operation.
  waitQueueTimeoutMS: operation,
  heartbeatFrequencyMS: 1000,
  // Only a fallback: heartbeats close the sockets of a frozen server, and building an index may take a while.
  socketTimeoutMS: LONGEST_OPERATION_MS + 10_000,
});

/**
 * The connection: opened, and reopened, in the background, so that the service starts, responds and recovers whether or
 * not the database is available.
 */
@Injectable()
export class Database implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = loggerOf(Database.name);
  private readonly whenConnected: Array<() => Promise<void>> = [];
  private readonly whenReady: Array<() => Promise<void>> = [];
  private readonly clientFollowers: Array<(client: mongo.MongoClient) => void> = [];
  private readonly commandFollowers: CommandFollower[] = [];
  /** Marks the operations of the preparation, which nothing else may precede. */
  private readonly preparation = new AsyncLocalStorage<true>();
  private closing = false;
  private prepared = false;
  private isConnected = false;
  private client?: BoundedClient;
  private cancelReplacement: () => void = () => undefined;

  constructor(
    @InjectConnection() private readonly connection: Connection,
    private readonly server: DatabaseServer,
    private readonly timeouts: DatabaseTimeouts,
  ) {
    // Not `readyState`: Mongoose considers a connection stale when the clock is set forward.
    connection.on('connected', () => (this.isConnected = true));
    for (const event of ['connecting', 'disconnecting', 'disconnected'])
      connection.on(event, () => (this.isConnected = false));
    connection.on('disconnected', () => {
      this.cancelReplacement();
      this.cancelReplacement = afterLimit(RECONNECTION_MS, () => void this.replaceClient());
    });
  }

  /** Connected, with every index built and every `onReady` task done. */
  get ready(): boolean {
    return this.prepared && this.isConnected;
  }

  /**
   * Registers a task that must be done before indexes are built and anything else reads the data. Call it in a
   * constructor.
   */
  onConnected(work: () => Promise<void>): void {
    this.whenConnected.push(work);
  }

  /**
   * Registers a task that needs the database and must be done before the service is ready. Call it in a constructor.
   */
  onReady(work: () => Promise<void>): void {
    this.whenReady.push(work);
  }

  /** Registers a listener to the events of the driver, such as those of connections. Call it in a constructor. */
  onClient(follow: (client: mongo.MongoClient) => void): void {
    this.clientFollowers.push(follow);
  }

  /** Registers who is told of each command. Call it in a constructor. */
  onCommand(follow: CommandFollower): void {
    this.commandFollowers.push(follow);
  }

  /** @internal Called by Nest when all modules have registered their tasks. */
  async onApplicationBootstrap(): Promise<void> {
    const prepared = this.prepare();
    try {
      await Promise.race([prepared, this.waited()]);
    } catch (error) {
      // After a failed startup no shutdown hook runs, and an open connection would keep the process alive.
      await this.onApplicationShutdown();
      throw error;
    }
    // A startup that continued without the database cannot fail any more, but must not continue with a broken one
    // either.
    if (!this.prepared) prepared.catch((error: unknown) => this.abandon(error));
  }

  /** @internal */
  async onApplicationShutdown(): Promise<void> {
    this.closing = true;
    this.cancelReplacement();
    await this.connection.close();
    // The connection has it only once it is connected.
    await this.client?.close();
    await this.server.stop();
  }

  /**
   * Runs a database operation with a timeout.
   *
   * @throws DatabaseUnavailableError after 1.2 s (on the command line 30 s), or at once if there is no connection or
   *   the database is still being prepared: data of an older format, or without its unique indexes, must not be used
   */
  async run<T extends PromiseLike<unknown>>(operation: () => T): Promise<Awaited<T>> {
    if (!this.isConnected || !(this.prepared || this.preparation.getStore())) throw new DatabaseUnavailableError();
    let stop!: () => void;
    const deadline = new Promise<never>((_, reject) => {
      stop = afterLimit(this.limitMs, () => reject(new DatabaseUnavailableError()));
    });
    try {
      return await Promise.race([operation(), deadline]);
    } catch (error) {
      throw isSocketError(error) ? new DatabaseUnavailableError() : error;
    } finally {
      stop();
    }
  }

  /** Runs an insertion, as {@link run}. @returns false if its key is taken */
  async insert(operation: () => PromiseLike<unknown>): Promise<boolean> {
    try {
      await this.run(operation);
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  }

  /** Runs an upsert, as {@link run}, and once more if another process has just inserted the document. */
  async upsert<T extends PromiseLike<unknown>>(operation: () => T): Promise<Awaited<T>> {
    try {
      return await this.run(operation);
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      return this.run(operation);
    }
  }

  /**
   * Reads documents as bytes, like {@link findBytes}, with a timeout.
   *
   * @throws DatabaseUnavailableError as {@link run}
   */
  findBytes(command: FindCommand): Promise<FoundBytes> {
    return this.run(() => findBytes(this.connection, { ...command, maxTimeMS: this.limitMs }));
  }

  /** Non-empty collections without a model in this process, such as those of modules that it does not have. */
  unknownCollections(): Promise<string[]> {
    return this.run(() => unknownCollections(this.connection));
  }

  /** Pings the server. */
  async ping(): Promise<void> {
    await this.run(async () => this.connection.db?.command({ ping: 1 }));
  }

  /** Retries until the database responds; an error from the server is thrown. */
  private async prepare(): Promise<void> {
    for (let complained = false; !this.closing; await delay(RETRY_PAUSE_MS)) {
      try {
        await this.connect();
        await this.preparation.run(true, () => this.prepareData());
        this.prepared = true;
        // It slows down every promise of the process.
        this.preparation.disable();
        return;
      } catch (error) {
        if (this.closing) return;
        if (!isDatabaseUnavailable(error)) throw error;
        if (!complained) this.logger.warn('The database does not answer; retrying');
        complained = true;
      }
    }
  }

  private async prepareData(): Promise<void> {
    for (const work of this.whenConnected) await preparing('to be prepared', work);
    await Promise.all(Object.values(this.connection.models).map(buildIndexes));
    for (const work of this.whenReady) await preparing('to be prepared', work);
  }

  /** Resolves when startup has waited long enough. */
  private async waited(): Promise<void> {
    const { start, preparation } = this.timeouts;
    let waitedMs = 0;
    do {
      await delay(start, undefined, { ref: false });
      waitedMs += start;
    } while (this.isConnected && !this.prepared && waitedMs < preparation);
  }

  private abandon(error: unknown): void {
    this.logger.fatal(explanationOf(error), error);
    // A shutdown by a signal exits with 0.
    process.once('exit', () => (process.exitCode = 1));
    process.kill(process.pid, 'SIGTERM');
  }

  private async connect(): Promise<void> {
    if (this.isConnected) return;
    // A client that was connected reconnects by itself, or is replaced.
    if (this.client) throw new DatabaseUnavailableError();
    const uri = await this.server.start();
    const followers = isRecording() ? [traceCommand, ...this.commandFollowers] : this.commandFollowers;
    const client = new BoundedClient(uri, clientOptions(this.timeouts), () => this.limitMs, followers);
    for (const follow of this.clientFollowers) follow(client);
    this.client = client;
    try {
      this.connection.setClient(await client.connect());
    } catch (error) {
      this.client = undefined;
      await client.close();
      throw error;
    }
  }

  /**
   * Gives up a client that has not reconnected. A check of the server that the driver sends between the destruction of
   * its socket and the event of that never ends, and is the last.
   */
  private async replaceClient(): Promise<void> {
    if (this.isConnected || this.closing) return;
    this.logger.warn(`The database has not been reached again within ${RECONNECTION_MS} ms: the client is replaced.`);
    const given = this.client;
    // Whom it finds while it ends must not count as connected.
    for (const event of ['serverDescriptionChanged', 'topologyDescriptionChanged'] as const)
      given?.removeAllListeners(event);
    await given?.close().catch(() => undefined);
    given?.removeAllListeners();
    this.client = undefined;
    // Until the data is prepared, that connects.
    while (this.prepared && !this.closing && !this.isConnected) {
      await this.connect().catch(() => delay(RETRY_PAUSE_MS, undefined, { ref: false }));
    }
  }

  /** The time limit of an operation, in milliseconds. What prepares the data may take longer than a request. */
  private get limitMs(): number {
    return this.prepared ? this.timeouts.operation : LONGEST_OPERATION_MS;
  }
}
