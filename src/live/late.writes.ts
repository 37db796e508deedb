import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { isDatabaseUnavailable } from '../platform/database/index.js';
import { loggerOf } from '../platform/logging/index.js';
import { FairShare } from 'avatar-chat-runtime';

/** Interval between the attempts of a late write, and how long it is attempted, in milliseconds. */
const PAUSE_MS = 1000;
const LIMIT_MS = 60_000;
/** Late writes at a time. */
const MAX_WAITING = 1000;

type Write = () => Promise<void>;

interface Late {
  readonly holders: readonly string[];
  readonly write: Write;
  release(): void;
  readonly until: number;
  timer?: NodeJS.Timeout;
  attempt?: Promise<void>;
}

/** Writes of messages that failed because the database was unavailable: repeated in the background for a minute. */
@Injectable()
export class LateWrites implements BeforeApplicationShutdown {
  private readonly logger = loggerOf(LateWrites.name);
  private readonly waiting = new Map<string, Late>();
  private readonly places = new FairShare(MAX_WAITING);
  private isStopping = false;

  /** @internal */
  beforeApplicationShutdown(): void {
    this.isStopping = true;
    for (const { timer } of this.waiting.values()) clearTimeout(timer);
    this.waiting.clear();
  }

  /**
   * Writes a message, instead of what is still to be written of it. It can be repeated without harm.
   *
   * @param holders the user, then possibly the address
   * @throws the write's error, although it is repeated if the database is unavailable
   */
  async run(holders: readonly string[], _id: string, write: Write): Promise<void> {
    await this.take(_id);
    try {
      await write();
    } catch (error) {
      if (isDatabaseUnavailable(error)) this.add(holders, _id, write);
      throw error;
    }
  }

  /** Writes a message in the background. */
  add(holders: readonly string[], _id: string, write: Write): void {
    if (this.isStopping) return;
    const release = this.places.acquire(holders, () => this.drop(_id));
    if (!release) return this.giveUp(_id);
    const late: Late = { holders, write, release, until: performance.now() + LIMIT_MS };
    this.waiting.set(_id, late);
    this.wait(_id, late);
  }

  /** Writes at once what is still to be written of a message. @returns whether there was anything */
  async hurry(_id: string): Promise<boolean> {
    const late = await this.take(_id);
    if (late) await this.run(late.holders, _id, late.write);
    return late !== undefined;
  }

  /** Ends the repetition; resolves when no attempt is in flight. */
  private async take(_id: string): Promise<Late | undefined> {
    const late = this.waiting.get(_id);
    this.waiting.delete(_id);
    late?.release();
    clearTimeout(late?.timer);
    await late?.attempt;
    return late;
  }

  private wait(_id: string, late: Late): void {
    late.timer = setTimeout(() => (late.attempt = this.attempt(_id, late)), PAUSE_MS).unref();
  }

  private async attempt(_id: string, late: Late): Promise<void> {
    const failure = await late.write().then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    if (this.waiting.get(_id) !== late) return;
    if (isDatabaseUnavailable(failure?.error) && performance.now() < late.until) return this.wait(_id, late);
    if (failure) return this.drop(_id);
    this.waiting.delete(_id);
    late.release();
  }

  private drop(_id: string): void {
    const late = this.waiting.get(_id);
    this.waiting.delete(_id);
    late?.release();
    clearTimeout(late?.timer);
    this.giveUp(_id);
  }

  private giveUp(_id: string): void {
    this.logger.warn(`The live answer ${_id} could not be stored as it was heard`);
  }
}
