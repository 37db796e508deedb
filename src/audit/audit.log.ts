import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Owner } from '../auth/index.js';
import { ErasableData, type ErasureFence, ErasureFences, type Subject } from '../erasure/index.js';
import { Clock } from '../platform/config/index.js';
import { AuditRepository } from './audit.repository.js';

const DAY_MS = 86_400_000;
/** Maximum number of entries in one listing. */
const MAX_ENTRIES = 1000;
/** Hexadecimal digits that replace an erased user's identifier. */
const PSEUDONYM_LENGTH = 16;

/** A change by an operator's key. */
export interface AuditEntry {
  /** Unix time in milliseconds. */
  readonly date: number;
  /** The key's name. */
  readonly key: string;
  readonly action: string;
  readonly project_id?: string;
  readonly user_id?: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Records what operators change over HTTP, without any text of messages. */
@Injectable()
export class AuditLog extends ErasableData {
  readonly name = 'audit';
  /** Last, so that a failed erasure is still found by its user. */
  override readonly order = 100;

  constructor(
    private readonly entries: AuditRepository,
    private readonly fences: ErasureFences,
    private readonly clock: Clock,
  ) {
    super();
  }

  /**
   * Records a change that is about to be made, so that none is made without an entry.
   *
   * @returns removes the entry, if nothing was changed
   */
  async record(entry: Omit<AuditEntry, 'date'>): Promise<() => Promise<void>> {
    const fence = await this.fences.currentFence();
    const id = await this.entries.add({ ...entry, date: new Date(this.clock.now()), fence });
    return () => this.entries.remove(id);
  }

  /**
   * The newest entries, at most 1,000, newest first.
   *
   * @param project_id omitted: all
   * @param withShared includes changes to no single project
   */
  async list(days: number, project_id?: string, withShared = false): Promise<AuditEntry[]> {
    const since = new Date(this.clock.now() - days * DAY_MS);
    const projects = project_id === undefined ? undefined : [project_id, ...(withShared ? [null] : [])];
    const found = await this.entries.list(since, MAX_ENTRIES, projects);
    return found.map(({ date, ...entry }) => ({ ...entry, date: date.getTime() }));
  }

  override async eraseUser(owner: Owner): Promise<void> {
    await this.replaceUser(owner);
  }

  override async eraseProject(project_id: string, isRemoved: boolean): Promise<void> {
    // Messages of a removed project stay, and so do their users.
    if (!isRemoved) await this.replaceUsers(project_id);
  }

  override async eraseLeftovers({ project_id, user_id }: Subject, erasure: ErasureFence): Promise<void> {
    if (user_id === undefined) await this.replaceUsers(project_id, erasure);
    else await this.replaceUser({ project_id, user_id }, erasure);
  }

  private async replaceUsers(project_id: string, before?: ErasureFence): Promise<void> {
    for (let user_id; (user_id = await this.entries.someUser(project_id, before)) !== undefined;)
      await this.replaceUser({ project_id, user_id }, before);
  }

  private replaceUser(owner: Required<Omit<Subject, 'erased'>>, before?: ErasureFence): Promise<void> {
    const pseudonym = hash('sha256', owner.user_id).slice(0, PSEUDONYM_LENGTH);
    return this.entries.rename(owner, pseudonym, before);
  }
}
