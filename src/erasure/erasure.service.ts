import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { Owner } from '../auth/index.js';
import { findProviders } from '../platform/extension-points/index.js';
import { ErasableData } from './erasable.data.js';
import { ErasureFences } from './erasure.fences.js';

/** How many were erased, by the name of the data. */
export type ErasedCounts = Readonly<Record<string, number>>;

/** Erases what all features store of a user or a project. If it fails midway, running it again completes it. */
@Injectable()
export class ErasureService {
  private found?: readonly ErasableData[];

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly fences: ErasureFences,
  ) {}

  async eraseUser(owner: Owner): Promise<ErasedCounts> {
    for (const data of this.erasable) await data.eraseUnfenced?.(owner);
    const erasure = await this.fences.mark(owner);
    return this.eraseEach((data) => data.eraseUser?.(owner, erasure));
  }

  /** Erases what is stored for a project besides its users' messages. @param isRemoved false if it still exists */
  eraseProject(project_id: string, isRemoved: boolean): Promise<ErasedCounts> {
    return this.eraseEach((data) => data.eraseProject?.(project_id, isRemoved));
  }

  /** Erases what processes stored after an erasure, before they crashed and could undo that. */
  async eraseLeftovers(isStopping: () => boolean): Promise<void> {
    for await (const { project_id, user_id, number, messages_erased } of this.fences.known()) {
      if (isStopping()) return;
      if (user_id === undefined && !(await this.fences.hasProject(project_id)))
        await this.eraseProject(project_id, true);
      const erasure = user_id === undefined ? messages_erased : number;
      if (erasure === undefined) continue;
      const subject = user_id === undefined ? { project_id } : { project_id, user_id };
      for (const data of this.erasable) await data.eraseLeftovers?.(subject, erasure);
    }
  }

  private async eraseEach(erase: (data: ErasableData) => Promise<number | void> | undefined): Promise<ErasedCounts> {
    const counts: Record<string, number> = {};
    for (const data of this.erasable) counts[data.name] = (await erase(data)) ?? 0;
    return counts;
  }

  /** Discovered at the first erasure, when the providers of all modules exist. */
  private get erasable(): readonly ErasableData[] {
    return (this.found ??= findProviders(this.discovery, ErasableData).sort((a, b) => a.order - b.order));
  }
}
