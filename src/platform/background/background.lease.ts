import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { type Model, trusted } from 'mongoose';
import { Clock } from '../config/index.js';
import { Database, isDuplicateKey } from '../database/index.js';
import { BackgroundDocument } from './background.schema.js';

const _id = 'lease';
/** How long a lease lasts without renewal, in milliseconds, */
const LEASE_MS = 30_000;
/** how often it is renewed, and how often others look whether it is free. */
const STEP_MS = 10_000;
/** How far the clocks of two processes may differ. */
const SKEW_MS = 30_000;

/**
 * The lease of background work. A holder counts as lost if its lease has not changed for {@link LEASE_MS}, measured by
 * the clock of the process that looks, or has expired long ago by the time stored in it.
 */
@Injectable()
export class BackgroundLease {
  private readonly holder = randomUUID();
  private renewedAt = -Infinity;
  private nextStep = -Infinity;
  private seen?: { lease: BackgroundDocument; at: number };

  constructor(
    private readonly database: Database,
    @InjectModel(BackgroundDocument.name) private readonly leases: Model<BackgroundDocument>,
    private readonly clock: Clock,
  ) {}

  /** False also if this process was frozen for so long that another one may have it. */
  get isHeld(): boolean {
    return performance.now() - this.renewedAt < LEASE_MS;
  }

  /**
   * Renews the lease, or acquires it if it is free, as often as necessary.
   *
   * @returns when each job was done, if this process has just acquired it
   */
  async keep(): Promise<Readonly<Record<string, number>> | undefined> {
    const now = performance.now();
    if (now < this.nextStep) return undefined;
    this.nextStep = now + STEP_MS;
    if (this.renewedAt > -Infinity && (await this.renew())) {
      this.renewedAt = now;
      return undefined;
    }
    this.renewedAt = -Infinity;
    const lease = await this.database.run(() => this.leases.findById(_id).lean());
    if (lease?.holder !== undefined && !this.isLost(lease, now)) return undefined;
    if (!(await this.acquire(lease))) return undefined;
    this.renewedAt = now;
    return lease?.done ?? {};
  }

  /** Records that a job was done. */
  async finish(job: string, at: number): Promise<void> {
    await this.database.run(() => this.leases.updateOne({ _id }, { $set: { [`done.${job}`]: at } }));
  }

  async release(): Promise<void> {
    const { holder } = this;
    if (this.renewedAt === -Infinity) return;
    this.renewedAt = -Infinity;
    await this.database.run(() => this.leases.updateOne({ _id, holder }, { $unset: { holder: 1 } }));
  }

  private isLost(lease: BackgroundDocument, now: number): boolean {
    const isSame = lease.holder === this.seen?.lease.holder && lease.renewals === this.seen?.lease.renewals;
    if (!isSame) this.seen = { lease, at: now };
    return now - this.seen!.at >= LEASE_MS || this.clock.now() > lease.until! + SKEW_MS;
  }

  private async renew(): Promise<boolean> {
    const { holder } = this;
    const change = { $inc: { renewals: 1 }, $set: { until: this.clock.now() + LEASE_MS } };
    return (await this.database.run(() => this.leases.updateOne({ _id, holder }, change))).matchedCount > 0;
  }

  private async acquire(seen: BackgroundDocument | null): Promise<boolean> {
    const { holder } = this;
    const free = seen?.holder === undefined ? { holder: trusted({ $exists: false }) } : { holder: seen.holder };
    const unchanged = { _id, ...free, ...(seen?.holder === undefined ? {} : { renewals: seen.renewals }) };
    const change = { $set: { holder, renewals: 0, until: this.clock.now() + LEASE_MS } };
    try {
      const changed = await this.database.run(() => this.leases.updateOne(unchanged, change, { upsert: !seen }));
      return changed.matchedCount + changed.upsertedCount > 0;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  }
}
