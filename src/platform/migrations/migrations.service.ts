import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { Clock } from '../config/index.js';
import { Database, isDatabaseUnavailable } from '../database/index.js';
import { describeError, loggerOf } from '../logging/index.js';
import { DATA_FORM } from './data-form.js';
import { MigrationError, newerData } from './migration.errors.js';
import { DATABASE, type Lease, MigrationRepository } from './migration.repository.js';
import { Migration, type MigrationProvider } from './migration.js';

const RENEW_MS = 3000;
/** A lease that has not been renewed for this long belongs to a process that has ended. */
const LEASE_MS = 15_000;
/** How long a process waits for another one that runs migrations. */
const MAX_WAIT_MS = 600_000;
const POLL_MS = 200;
const MAX_NAME_LENGTH = 200;

/**
 * Migrates the data to this release's format before anything else uses it: runs the pending migrations, in one process
 * at a time, and rejects data of a newer format.
 */
@Injectable()
export class MigrationsService {
  private readonly logger = loggerOf('Migrations');
  private readonly holder = randomUUID();
  private readonly ranHere: string[] = [];

  constructor(
    private readonly repository: MigrationRepository,
    private readonly discovery: DiscoveryService,
    private readonly clock: Clock,
    database: Database,
  ) {
    database.onConnected(() => this.run());
  }

  /** The names of the migrations that this process has run, in order. */
  get ran(): readonly string[] {
    return this.ranHere;
  }

  /**
   * Runs pending migrations, or waits until another process has.
   *
   * @throws MigrationError if the data has a newer format, a migration fails, or the wait takes too long
   */
  private async run(): Promise<void> {
    const migrations = this.find();
    const since = this.clock.monotonic();
    let seen: { lease: Lease; at: number } | undefined;
    for (;;) {
      const { finished, form, lease } = await this.repository.read();
      if (form > DATA_FORM) throw newerData(form, DATA_FORM);
      const pending = [...migrations].filter(([name]) => !finished.has(name));
      if (pending.length === 0 && form === DATA_FORM) return;
      const now = this.clock.monotonic();
      if (now - since > MAX_WAIT_MS) throw new MigrationError('Another process is still migrating the data.');
      // Measured locally from renewal to renewal, so that the clocks of machines need not agree.
      const isSame = lease && lease.holder === seen?.lease.holder && lease.renewals === seen?.lease.renewals;
      if (lease && !isSame) {
        if (!seen) this.logger.warn('Another process is migrating the data; waiting for it');
        seen = { lease, at: now };
      }
      const isFree = !lease || lease.holder === this.holder || (seen !== undefined && now - seen.at > LEASE_MS);
      if (isFree && (await this.repository.acquire(this.holder, lease))) await this.runAll(pending);
      else await delay(POLL_MS);
    }
  }

  /** Runs with the lease. Ends early if the lease is lost; the caller then checks again. */
  private async runAll(pending: readonly [string, MigrationProvider][]): Promise<void> {
    let isLost = false;
    const renewal = setInterval(() => {
      this.repository.renew(this.holder).then(
        (isOwn) => (isLost ||= !isOwn),
        () => undefined,
      );
    }, RENEW_MS).unref();
    try {
      for (const [name, migration] of pending) {
        if (isLost) return await this.repository.release(this.holder);
        await this.runOne(name, migration);
      }
      await this.repository.release(this.holder, DATA_FORM);
    } catch (error) {
      await this.repository.release(this.holder).catch(() => undefined);
      throw error;
    } finally {
      clearInterval(renewal);
    }
  }

  private async runOne(name: string, migration: MigrationProvider): Promise<void> {
    try {
      await migration.up();
    } catch (error) {
      if (isDatabaseUnavailable(error)) {
        this.logger.warn(`The migration '${name}' was interrupted: the database did not answer in time. It runs again`);
        throw error;
      }
      this.logger.error(new MigrationError(`The migration '${name}' failed`, { cause: error }));
      const { codeName, code } = error as { codeName?: string; code?: number };
      const kind = codeName === undefined ? describeError(error).error : `${codeName} (${code})`;
      throw new MigrationError(
        `The migration '${name}' failed: ${kind}. Nothing else has started; it runs again at the next start.`,
      );
    }
    await this.repository.finish(name, DATA_FORM, new Date(this.clock.now()));
    this.ranHere.push(name);
    this.logger.log(`Ran the migration '${name}'`);
  }

  /** Ordered by name, in which they run. */
  private find(): ReadonlyMap<string, MigrationProvider> {
    const found = new Map<string, { metatype: unknown; instance: MigrationProvider }>();
    for (const wrapper of this.discovery.getProviders({ metadataKey: Migration.KEY })) {
      const name: unknown = this.discovery.getMetadataByDecorator(Migration, wrapper);
      const instance = wrapper.instance as Partial<MigrationProvider> | undefined;
      if (typeof name !== 'string' || name === '' || name === DATABASE || name.length > MAX_NAME_LENGTH)
        throw new MigrationError(`The provider ${wrapper.name} needs a name of 1 to 200 characters in @Migration().`);
      if (typeof instance?.up !== 'function') throw new MigrationError(`The migration '${name}' has no method up().`);
      const other = found.get(name);
      if (other && other.metatype !== wrapper.metatype)
        throw new MigrationError(`Two providers are marked as the migration '${name}'.`);
      found.set(name, { metatype: wrapper.metatype, instance: instance as MigrationProvider });
    }
    const inOrder = [...found].sort(([one], [other]) => (one < other ? -1 : 1));
    return new Map(inOrder.map(([name, { instance }]) => [name, instance]));
  }
}
