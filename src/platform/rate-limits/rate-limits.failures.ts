import { type ExecutionContext, Injectable } from '@nestjs/common';
import { Config } from '../config/index.js';
import { subjectOf } from './rate-limits.guard.js';
import { LimitsStorage } from './rate-limits.storage.js';

/** A minute and client address. */
const FAILURES = 10;

/** Counts failures, such as wrong keys, where limits are on. What is right is never refused: nobody can lock others out. */
@Injectable()
export class FailureLimit {
  constructor(
    private readonly storage: LimitsStorage,
    private readonly config: Config,
  ) {}

  /** @throws ServiceError `rate_limited` where it is one too many */
  async count(kind: string, context: ExecutionContext): Promise<void> {
    if (!this.config.rateLimits.enabled) return;
    await this.storage.demand(`${kind} ${subjectOf(context)}`, FAILURES);
  }
}
