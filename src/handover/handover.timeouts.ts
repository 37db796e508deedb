import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Database, isDatabaseUnavailable } from '../platform/database/index.js';
import { describeError, loggerOf } from '../platform/logging/index.js';
import { HandoverService } from './handover.service.js';

const EVERY_MS = 5000;
const BATCH = 100;

/**
 * Returns conversations to their avatars when their time is up. Every process does; each change is one atomic update, so
 * only one of them makes it.
 */
@Injectable()
export class HandoverTimeouts implements OnApplicationShutdown {
  private readonly logger = loggerOf(HandoverTimeouts.name);
  private timer?: NodeJS.Timeout;
  private isRunning = false;

  constructor(
    private readonly handover: HandoverService,
    database: Database,
  ) {
    database.onReady(async () => {
      // Several processes that start together do not look at the same moment.
      this.timer ??= setInterval(() => void this.run(), EVERY_MS + Math.random() * 2000).unref();
    });
  }

  /** @internal */
  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  private async run(): Promise<void> {
    if (this.isRunning) return;
    this.isRunning = true;
    try {
      while ((await this.handover.returnDue(BATCH)) === BATCH);
    } catch (error) {
      if (!isDatabaseUnavailable(error)) this.logger.error({ ...describeError(error) });
    } finally {
      this.isRunning = false;
    }
  }
}
