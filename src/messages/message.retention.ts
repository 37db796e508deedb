import { Injectable } from '@nestjs/common';
import { CatalogueService } from '../catalogue/index.js';
import { Clock } from '../platform/config/index.js';
import { BackgroundWork } from '../platform/background/index.js';
import { ErasureService } from '../erasure/index.js';
import { type EventData, Events } from '../events/index.js';
import { FileService } from '../files/index.js';
import { counted, describeError, loggerOf } from '../platform/logging/index.js';
import { type ExpiredMessage, MessageExpiry } from './message.expiry.js';
import { MessageRemoval } from './message.removal.js';
import { MessageRepository } from './message.repository.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const BATCH = 500;

/** Removes messages older than their projects keep, and files that crashes have left. What fails delays nothing else. */
@Injectable()
export class MessageRetention {
  private readonly logger = loggerOf(MessageRetention.name);

  constructor(
    private readonly messages: MessageRepository,
    private readonly expiry: MessageExpiry,
    private readonly catalogue: CatalogueService,
    private readonly removal: MessageRemoval,
    private readonly files: FileService,
    private readonly erasure: ErasureService,
    private readonly events: Events,
    private readonly clock: Clock,
    background: BackgroundWork,
  ) {
    background.add({ name: 'retention', everyMs: HOUR_MS, run: async (goesOn) => void (await this.sweep(goesOn)) });
  }

  /** @returns how many messages were removed */
  async sweep(goesOn = () => true): Promise<number> {
    let removed = 0;
    const failures: unknown[] = [];
    const attempt = (work: Promise<unknown>) => work.catch((error: unknown) => void failures.push(error));
    await attempt(this.erasure.eraseLeftovers(() => !goesOn()));
    for (const { project_id, settings } of await this.catalogue.listProjects()) {
      const age = settings.retentionDays * DAY_MS;
      if (age > 0) await attempt(this.sweepProject(project_id, age, goesOn).then((count) => (removed += count)));
    }
    if (removed > 0) this.logger.log(`Removed ${counted(removed, 'message')} older than their projects keep`);
    if (goesOn()) await attempt(this.sweepFiles(this.clock.now() - DAY_MS));
    for (const error of failures.slice(1)) this.logger.error({ ...describeError(error) });
    if (failures.length > 0) throw failures[0] as Error;
    return removed;
  }

  private async sweepFiles(before: number): Promise<void> {
    const unfinished = await this.files.sweep(before);
    const unused = await this.files.sweepUnused(before, (ids) => this.removal.filesInUse(ids));
    if (unused > 0) this.logger.log(`Removed ${counted(unused, 'file')} without a message`);
    if (unfinished > 0) this.logger.log(`Removed ${counted(unfinished, 'unfinished file')}`);
  }

  private async sweepProject(project_id: string, age: number, goesOn: () => boolean): Promise<number> {
    const now = this.clock.now();
    const old = now - age;
    // No correct clock produces such a date. The message's age counts from now on.
    const ahead = now + DAY_MS;
    const expired = { project_id, before: old };
    const removed = await this.removeAll(expired, () => this.expiry.findExpired(project_id, old, BATCH), goesOn);
    while (goesOn() && (await this.expiry.noteAhead(project_id, ahead, now, BATCH)) === BATCH);
    const findAhead = () => this.expiry.findAhead(project_id, ahead, old, BATCH);
    return removed + (await this.removeAll({ project_id }, findAhead, goesOn));
  }

  private async removeAll(
    which: EventData['messages.removed'],
    find: () => Promise<ExpiredMessage[]>,
    goesOn: () => boolean,
  ): Promise<number> {
    for (let removed = 0; ;) {
      const expired = goesOn() ? await find() : [];
      if (expired.length === 0) return removed;
      // Emitted before the removal: if the process ends here, modules are notified again.
      await this.events.emitAndWait('messages.removed', { ...which, ids: expired.map(({ _id }) => _id) });
      await this.files.remove(expired.flatMap(({ file_id }) => file_id ?? []));
      removed += await this.expiry.removeExpired(which.project_id, expired);
    }
  }
}
