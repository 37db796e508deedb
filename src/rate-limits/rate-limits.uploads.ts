import { Injectable } from '@nestjs/common';
import { Clock, Config } from '../platform/config/index.js';
import { limitReached } from '../platform/limits/index.js';
import { LimitsRepository } from './rate-limits.repository.js';

const HOUR_MS = 3_600_000;
const MEBIBYTE = 1_048_576;

/** Counts the bytes that a user uploads per hour, across all processes, if rate limits are on. */
@Injectable()
export class UploadLimit {
  constructor(
    private readonly limits: LimitsRepository,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /**
   * Reserves the maximum size of an upload, so that concurrent uploads do not exceed the limit together.
   *
   * @returns a function that reports, at the end, how many bytes were received
   * @throws ServiceError `rate_limited` if it would be too much
   */
  async reserve(
    { project_id, user_id }: { readonly project_id: string; readonly user_id: string },
    bytes: number,
  ): Promise<(came: number) => Promise<void>> {
    const { enabled, uploads } = this.config.rateLimits;
    if (!enabled) return async () => undefined;
    const now = this.clock.now();
    const hour = Math.floor(now / HOUR_MS);
    const ends = (hour + 1) * HOUR_MS;
    const add = (count: number) =>
      this.limits.add(`uploads ${project_id}/${user_id} ${hour}`, count, new Date(ends + HOUR_MS));
    if ((await add(bytes)) > uploads * MEBIBYTE) {
      await add(-bytes);
      throw limitReached('uploads', Math.ceil((ends - now) / 1000));
    }
    return async (came) => {
      await add(came - bytes);
    };
  }
}
