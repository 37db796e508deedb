import { type ExecutionContext, Injectable } from '@nestjs/common';
import { Config } from '../platform/config/index.js';
import { subjectOf } from './rate-limits.guard.js';
import { LimitsStorage } from './rate-limits.storage.js';

/** Per minute and client address. */
const FAILURES = 10;

/**
 * Limits failures, such as wrong keys, if rate limits are on. Correct keys are never refused, so nobody can lock others
 * out.
 */
@Injectable()
export class FailureLimit {
  constructor(
    private readonly storage: LimitsStorage,
    private readonly config: Config,
  ) {}

  /** @throws ServiceError `rate_limited` if there are too many */
  async count(kind: string, context: ExecutionContext): Promise<void> {
    if (!this.config.rateLimits.enabled) return;
    await this.storage.assertBelow(`${kind} ${subjectOf(context)}`, FAILURES);
  }
}
