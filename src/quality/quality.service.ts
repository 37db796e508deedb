import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { Counter } from 'prom-client';
import { type Avatar, CatalogueService } from '../catalogue/index.js';
import { Clock } from '../platform/config/index.js';
import { ErasableData } from '../erasure/index.js';
import { Metrics } from '../health/index.js';
import { describeError, loggerOf } from '../platform/logging/index.js';
import { type AvatarQuality, QualityRepository, type QualitySubject } from './quality.repository.js';
import type { AnswerOutcome, QualityCounts } from './quality.schema.js';

const DAY_MS = 86_400_000;
/** Retention of the counts. */
const KEPT_DAYS = 400;
/** How long counts are buffered in memory, to save a write per turn; a crash loses them. */
const FLUSH_MS = 5000;

/** Counts the outcomes of requests to avatars. */
@Injectable()
export class Quality extends ErasableData implements BeforeApplicationShutdown {
  readonly name = 'quality';
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
    super();
    this.answers = new Counter({
      name: 'chat_answers_total',
      help: 'Requests to avatars. Outcomes: answered, dodged (an honest "I don\'t know"), failed, refused by a module.',
      labelNames: ['engine', 'language_code', 'outcome'],
      registers: [registry],
    });
  }

  /** @internal Runs before the database disconnects. Later counts are written at once. */
  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    await this.flush();
  }

  /** Counts an answer. Never throws. */
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
   * The counts of a project's avatars for the given number of days, including today, from all processes up to 5 s ago.
   * Fails like an unavailable database if it takes longer than `timeout`, in milliseconds.
   */
  async report(project_id: string, days: number, timeout: number): Promise<AvatarQuality[]> {
    await this.flush();
    return this.repository.sum(project_id, dayOf(this.since(days)), timeout);
  }

  /** The midnight in UTC, in Unix milliseconds, with which the given number of days began, including today. */
  since(days: number): number {
    return Date.parse(dayOf(this.clock.now())) - (days - 1) * DAY_MS;
  }

  /** Removes the counts of a project; they contain no user data. */
  override async eraseProject(project_id: string): Promise<void> {
    await this.flushing;
    for (const [key, { subject }] of this.waiting) if (subject.project_id === project_id) this.waiting.delete(key);
    await this.repository.removeAll(project_id);
  }

  /** Flushes the buffer; what cannot be stored stays in it. */
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
        // Counts of a project that was removed meanwhile are removed as well.
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
