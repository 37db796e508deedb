import { type ExecutionContext, Injectable } from '@nestjs/common';
import { InjectThrottlerStorage, type ThrottlerStorage } from '@nestjs/throttler';
import { Config } from '../config/index.js';
import { failure } from '../errors/index.js';
import { subjectOf } from './rate-limits.guard.js';

const MINUTE = 60_000;
/** A minute and client address. */
const FAILURES = 10;

/** Counts failures, such as wrong keys, where limits are on. What is right is never refused: nobody can lock others out. */
@Injectable()
export class FailureLimit {
  constructor(
    @InjectThrottlerStorage() private readonly storage: ThrottlerStorage,
    private readonly config: Config,
  ) {}

  /** @throws ServiceError `rate_limited` where it is one too many */
  async count(kind: string, context: ExecutionContext): Promise<void> {
    if (!this.config.rateLimits.enabled) return;
    const subject = `${kind} ${subjectOf(context)}`;
    const { isBlocked, timeToBlockExpire } = await this.storage.increment(subject, MINUTE, FAILURES, MINUTE, kind);
    if (isBlocked) throw failure('rate_limited', Math.max(1, timeToBlockExpire));
  }
}
