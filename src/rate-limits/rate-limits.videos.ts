import { Injectable } from '@nestjs/common';
import { Clock, Config } from '../platform/config/index.js';
import { LimitsRepository } from './rate-limits.repository.js';

const HOUR_MS = 3_600_000;

/** Counts the seconds of video that are rendered for a user per hour, across all processes, if rate limits are on. */
@Injectable()
export class VideoLimit {
  constructor(
    private readonly limits: LimitsRepository,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /** Counts a video, unless it would exceed the limit. @returns whether it may be rendered */
  async take(
    { project_id, user_id }: { readonly project_id: string; readonly user_id: string },
    seconds: number,
  ): Promise<boolean> {
    const { enabled, video } = this.config.rateLimits;
    if (!enabled) return true;
    const hour = Math.floor(this.clock.now() / HOUR_MS);
    const add = (count: number) =>
      this.limits.add(`videos ${project_id}/${user_id} ${hour}`, count, new Date((hour + 2) * HOUR_MS));
    const whole = Math.ceil(seconds);
    if ((await add(whole)) <= video) return true;
    await add(-whole);
    return false;
  }
}
