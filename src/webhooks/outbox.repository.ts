import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { type Model, trusted } from 'mongoose';
import type { Owner } from '../auth/index.js';
import { Database, LONGEST_OPERATION_MS } from '../platform/database/index.js';
import { type EventType, isModuleEvent, type ModuleEventType } from 'avatar-chat-catalogue';
import { type ServiceEvent } from '../events/index.js';
import { type Outcome, OutboxEntry } from './outbox.schema.js';

const DAY_MS = 86_400_000;
/** Entries erased or corrected per batch. */
const BATCH = 500;
/**
 * Retention of an entry after it was added, or after a manual retry; and after its delivery. Entries of an erasure,
 * which name the erased user, are removed once delivered, and kept for this shorter time once dead.
 */
const KEPT_MS = 30 * DAY_MS;
const DELIVERED_KEPT_MS = 7 * DAY_MS;

/** Matches entries that are pending, by an index. */
const PENDING = trusted({ $gte: 0 });

/** A webhook of a project, by its name. */
export type Endpoint = Pick<OutboxEntry, 'project_id' | 'webhook'>;

export function queueOf({ project_id, webhook }: Endpoint): string {
  return `${project_id}/${webhook}`;
}

/** The lease of an attempt: its identifier, and when it expires. */
export type Lease = Required<Pick<OutboxEntry, 'lease' | 'due'>>;

@Injectable()
export class OutboxRepository {
  constructor(
    private readonly database: Database,
    @InjectModel(OutboxEntry.name) private readonly entries: Model<OutboxEntry>,
  ) {}

  /** Adds an event for a webhook, to be sent now or after a delay; an existing entry does not change. */
  async add(
    { id, type, date, data }: ServiceEvent<EventType | ModuleEventType>,
    webhook: string,
    now: number,
    delayMs: number,
  ): Promise<void> {
    const { project_id, user_id } = data;
    const entry: OutboxEntry = {
      _id: `${id}.${webhook}`,
      event_id: id,
      type,
      date,
      project_id,
      user_id,
      webhook,
      queue: queueOf({ project_id, webhook }),
      data: '_id' in data && !isModuleEvent(type) ? { message_id: data._id } : { ...data },
      state: 'pending',
      attempts: 0,
      due: now + delayMs,
      expires_at: new Date(now + KEPT_MS),
    };
    await this.database.insert(() => this.entries.insertMany([entry], { lean: true }));
  }

  /** Leases an entry of a queue that is due, so that no other process takes it until the lease expires. */
  acquire(lease: Lease, now: number, queue: string): Promise<(OutboxEntry & Lease) | null> {
    const due = { queue, due: trusted({ $lte: now }) };
    return this.database.run(() =>
      this.entries
        .findOneAndUpdate(due, { $set: lease, $inc: { attempts: 1 } }, { sort: { due: 1 }, returnDocument: 'after' })
        .lean<OutboxEntry & Lease>(),
    );
  }

  /** The next queue, in their order, that has pending entries, and when its first one is due. */
  nextQueue(after: string): Promise<Required<Pick<OutboxEntry, 'queue' | 'due'>> | null> {
    return this.database.run(() =>
      this.entries
        .findOne({ queue: trusted({ $gt: after }), due: PENDING }, { _id: 0, queue: 1, due: 1 })
        .sort({ queue: 1, due: 1 })
        .lean<Required<Pick<OutboxEntry, 'queue' | 'due'>>>(),
    );
  }

  /** The number of pending entries of a queue, up to a limit. */
  countPending(queue: string, limit: number): Promise<number> {
    return this.entries.countDocuments({ queue, due: PENDING }, { limit }).maxTimeMS(LONGEST_OPERATION_MS).exec();
  }

  /** The number of pending entries of all queues, and the date of the oldest event. */
  async backlog(): Promise<{ pending: number; oldest?: number }> {
    const [pending, first] = await Promise.all([
      this.entries.countDocuments({ due: PENDING }).maxTimeMS(LONGEST_OPERATION_MS),
      this.entries.findOne({ due: PENDING }, { date: 1 }).sort({ date: 1 }).hint({ date: 1 }).lean(),
    ]);
    return { pending, ...(first && { oldest: first.date }) };
  }

  /** Counts an event that is not added to a queue, since too many others are waiting there. */
  async drop(
    { type, date, data: { project_id } }: ServiceEvent<EventType | ModuleEventType>,
    webhook: string,
    now: number,
  ): Promise<void> {
    const queue = queueOf({ project_id, webhook });
    const fixed = { event_id: '', project_id, user_id: '', webhook, queue, data: {}, state: 'dropped', attempts: 0 };
    const changes = { type, date, expires_at: new Date(now + KEPT_MS) };
    await this.database.upsert(() =>
      this.entries.collection.updateOne(
        { _id: `dropped.${queue}` as never },
        { $inc: { dropped: 1 }, $set: changes, $setOnInsert: fixed },
        { upsert: true },
      ),
    );
  }

  /** The receiver has the event, whoever holds the lease by now. */
  async delivered({ _id, type }: OutboxEntry, last: Outcome): Promise<void> {
    if (type === 'user.erased') return this.discard({ _id });
    const expires_at = new Date(last.at + DELIVERED_KEPT_MS);
    await this.settle({ _id }, { state: 'delivered', expires_at, last }, { due: 1 });
  }

  /**
   * Schedules a retry or, without a time, gives up. Does nothing if the lease has expired and another process holds it.
   */
  async failed({ _id, lease, type }: OutboxEntry, last: Outcome, due?: number): Promise<void> {
    if (due === undefined) {
      const erased = type === 'user.erased' ? { expires_at: new Date(last.at + DELIVERED_KEPT_MS) } : {};
      await this.settle({ _id, lease }, { state: 'dead', last, ...erased }, { due: 1 });
    } else await this.settle({ _id, lease }, { due, last });
  }

  /** Releases a lease as if there had been no attempt. Does nothing if there is no such lease. */
  async release({ lease, due }: Lease, now: number): Promise<void> {
    await this.database.run(() =>
      this.entries.updateOne({ due, lease }, { $set: { due: now }, $unset: { lease: 1 }, $inc: { attempts: -1 } }),
    );
  }

  /**
   * Reschedules entries whose time was set by a clock that was ahead: pending ones now, leased ones after the duration
   * of a lease. One batch of them.
   *
   * @param ahead how far ahead a time must be to count as wrong, in milliseconds
   * @param leaseMs duration of a lease
   * @param after where the last batch ended; 0 to begin
   * @returns where this batch ended; 0 if it was the last
   */
  async hasten(now: number, ahead: number, leaseMs: number, after: number): Promise<number> {
    const later = { due: trusted({ $gt: Math.max(after, now + ahead) }) };
    const batch = await this.database.run(() =>
      this.entries.find(later).select({ due: 1 }).sort({ due: 1 }).limit(BATCH).lean(),
    );
    if (batch.length === 0) return 0;
    const _id = trusted({ $in: batch.map((entry) => entry._id) });
    const late = { _id, due: trusted({ $gt: now + ahead }), lease: trusted({ $exists: false }) };
    const scheduled = { ...late, $or: [{ attempts: 0 }, { 'last.at': trusted({ $gt: now + ahead }) }] };
    const leased = { _id, due: trusted({ $gt: now + leaseMs + ahead }), lease: trusted({ $exists: true }) };
    await this.database.run(() => this.entries.updateMany(scheduled, { $set: { due: now } }));
    await this.database.run(() => this.entries.updateMany(leased, { $set: { due: now + leaseMs } }));
    return batch.length < BATCH ? 0 : batch.at(-1)!.due!;
  }

  /** Newest first, of one project or of all; at most this many, or with 0 all. */
  async *log(project_id?: string, limit = 0): AsyncGenerator<OutboxEntry> {
    const which = project_id === undefined ? {} : { project_id };
    yield* this.entries.find(which).sort({ date: -1 }).limit(limit).maxTimeMS(LONGEST_OPERATION_MS).lean().cursor();
  }

  /**
   * Retries an entry, or those of a project that are dead or have failed before, with a fresh attempt count. Of a
   * project, entries that a process is trying at this moment are skipped.
   *
   * @returns how many there were
   */
  async retry(one: { _id: string; project_id?: string } | { project_id: string }, now: number): Promise<number> {
    const failing = { state: 'pending' as const, attempts: trusted({ $gt: 0 }), lease: trusted({ $exists: false }) };
    const which =
      '_id' in one
        ? { ...one, event_id: trusted({ $ne: '' }) }
        : { ...one, $or: [{ state: 'dead' as const }, failing] };
    const { matchedCount } = await this.entries.updateMany(which, {
      $set: { state: 'pending', attempts: 0, due: now, expires_at: new Date(now + KEPT_MS) },
      $unset: { lease: 1 },
    });
    return matchedCount;
  }

  /** Removes an event, whatever its state. */
  async remove(event_id: string): Promise<void> {
    await this.database.run(() =>
      this.entries.deleteMany({ _id: trusted({ $gt: `${event_id}.`, $lt: `${event_id}/` }) }),
    );
  }

  /**
   * Removes the entries of a user, except those of existing messages.
   *
   * @param existing returns those of some messages that exist
   */
  async eraseUser(
    { project_id, user_id }: Owner,
    existing: (message_ids: string[]) => Promise<ReadonlySet<string>>,
  ): Promise<void> {
    for (let after = ''; ;) {
      const batch = await this.entries
        .find({ project_id, user_id, _id: trusted({ $gt: after }) })
        .select({ 'data.message_id': 1 })
        .sort({ _id: 1 })
        .limit(BATCH)
        .lean();
      if (batch.length === 0) return;
      const kept = await existing(batch.flatMap(({ data }) => (data?.message_id as string | undefined) ?? []));
      const erased = batch.filter(({ data }) => !kept.has(String(data?.message_id)));
      await this.entries.deleteMany({ _id: trusted({ $in: erased.map(({ _id }) => _id) }) });
      after = batch.at(-1)!._id;
    }
  }

  /** Removes the entries of a project, except events of one type. */
  async eraseProject(project_id: string, except?: EventType): Promise<void> {
    await this.entries.deleteMany({ project_id, ...(except && { type: trusted({ $ne: except }) }) });
  }

  /** Removes an entry that has become obsolete. */
  async discard({ _id }: Pick<OutboxEntry, '_id'>): Promise<void> {
    await this.database.run(() => this.entries.deleteOne({ _id }));
  }

  private async settle(
    which: Partial<OutboxEntry>,
    changes: Partial<OutboxEntry>,
    gone: Partial<Record<keyof OutboxEntry, 1>> = {},
  ): Promise<void> {
    await this.database.run(() => this.entries.updateOne(which, { $set: changes, $unset: { lease: 1, ...gone } }));
  }
}
