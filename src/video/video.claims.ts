import { Injectable } from '@nestjs/common';
import { Clock } from '../platform/config/index.js';
import { VideoRepository } from './video.repository.js';

/** How long a process that renders an answer may be without a sign of life, and how often it gives one, in milliseconds. */
const CLAIM_MS = 30_000;
const AGAIN_MS = 10_000;

/** Lets one process at a time render an answer. */
@Injectable()
export class VideoClaims {
  constructor(
    private readonly videos: VideoRepository,
    private readonly clock: Clock,
  ) {}

  /** Claims the rendering of an answer. @returns a function that ends the claim; undefined if another process has it */
  async claim(file_id: string): Promise<(() => Promise<void>) | undefined> {
    const now = this.clock.now();
    /** All that it may last until: what is not acknowledged may have been applied, or may yet be. */
    const ends = [now + CLAIM_MS];
    if (!(await this.videos.claim(file_id, now, ends[0]!))) return undefined;
    const change = async (until: number) => {
      ends.push(until);
      await this.videos.claim(file_id, now, until, ends).catch(() => undefined);
    };
    const timer = setInterval(() => void change(this.clock.now() + CLAIM_MS), AGAIN_MS).unref();
    return () => {
      clearInterval(timer);
      return change(0);
    };
  }
}
