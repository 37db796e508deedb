import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { Counter } from 'prom-client';
import { type Avatar, CatalogueService } from '../catalogue/index.js';
import { Clock } from '../platform/config/index.js';
import { Metrics } from '../platform/health/index.js';
import { describeError, loggerOf } from '../platform/logging/index.js';
import { type AvatarQuality, QualityRepository, type QualitySubject } from './quality.repository.js';
import type { AnswerOutcome, QualityCounts } from './quality.schema.js';

const DAY_MS = 86_400_000;
/** How long counts are kept. */
const KEPT_DAYS = 400;
/** How long counts wait in memory, so that a turn costs no write; a crash loses those. */
const FLUSH_MS = 5000;

/** Counts how avatars answer. */
@Injectable()
export class Quality implements BeforeApplicationShutdown {
  private readonly logger = loggerOf(Quality.name);
  private readonly answers: Counter<'engine' | 'language_code' | 'outcome'>;
  private waiting = new Map<string, { subject: QualitySubject; counts: Partial<QualityCounts> }>();
  private timer?: NodeJS.Timeout;
  private flushing: Promise<void> = Promise.resolve();
  private isStopping = false;

  constructor(
    private readonly repository: QualityRepository,
    private readonly catalogue: CatalogueService,
    private readonly clock: Clock,
    { registry }: Metrics,
  ) {
    this.answers = new Counter({
      name: 'chat_answers_total',
      help: 'Requests to avatars. Outcomes: answered, dodged (an honest "I don\'t know"), failed, refused by a module.',
      labelNames: ['engine', 'language_code', 'outcome'],
      registers: [registry],
    });
  }

  /** @internal While there still is a database. What comes later is written at once. */
  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    await this.flush();
  }

  /** Counts an answer. Never fails. */
  count(
    { project_id, avatar, language_code }: Pick<QualitySubject, 'project_id' | 'language_code'> & { avatar: Avatar },
    outcome: AnswerOutcome,
  ): void {
    this.answers.inc({ engine: avatar.engine.kind, language_code, outcome });
    const subject = { project_id, day: dayOf(this.clock.now()), avatar_id: avatar._id, language_code };
    this.add(subject, { [outcome]: 1 });
    if (this.isStopping) void this.flush();
    else this.timer ??= setTimeout(() => void this.flush(), FLUSH_MS).unref();
  }

  /**
   * How the avatars of a project have answered in so many days, today included, those of all processes up to 5 s ago.
   * Fails as an unavailable database does where it takes longer than `timeout`, in milliseconds.
   */
  async report(project_id: string, days: number, timeout: number): Promise<AvatarQuality[]> {
    await this.flush();
    return this.repository.sum(project_id, dayOf(this.clock.now() - (days - 1) * DAY_MS), timeout);
  }

  /** Removes the counts of a project. */
  async forget(project_id: string): Promise<void> {
    await this.flushing;
    for (const [key, { subject }] of this.waiting) if (subject.project_id === project_id) this.waiting.delete(key);
    await this.repository.removeAll(project_id);
  }

  /** Stores what waits; what cannot be stored waits on. */
  private flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    return (this.flushing = this.flushing.then(() => this.store()));
  }

  private async store(): Promise<void> {
    const waiting = [...this.waiting.values()];
    this.waiting = new Map();
    for (const [index, { subject, counts }] of waiting.entries()) {
      try {
        // Of a project that was removed meanwhile nothing stays.
        if (!(await this.catalogue.hasProject(subject.project_id))) continue;
        const expires_at = new Date(Date.parse(subject.day) + KEPT_DAYS * DAY_MS);
        await this.repository.add(subject, counts, expires_at);
      } catch (error) {
        this.logger.warn({ counts: 'could not be stored', ...describeError(error) });
        for (const { subject: late, counts: more } of waiting.slice(index)) this.add(late, more);
        if (!this.isStopping) this.timer ??= setTimeout(() => void this.flush(), FLUSH_MS).unref();
        return;
      }
    }
  }

  private add(subject: QualitySubject, counts: Partial<QualityCounts>): void {
    const key = Object.values(subject).join('/');
    const kept = this.waiting.get(key) ?? { subject, counts: {} };
    for (const [outcome, count] of Object.entries(counts) as [AnswerOutcome, number][])
      kept.counts[outcome] = (kept.counts[outcome] ?? 0) + count;
    this.waiting.set(key, kept);
  }
}

function dayOf(date: number): string {
  return new Date(date).toISOString().slice(0, 10);
}
