import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { type Avatar } from 'avatar-chat-catalogue';
import { CountBuffer } from 'avatar-chat-runtime';
import { CatalogueService } from '../catalogue/index.js';
import { Clock } from '../platform/config/index.js';
import { ErasableData } from '../erasure/index.js';
import { Metrics } from '../platform/metrics/index.js';
import { loggerOf } from '../platform/logging/index.js';
import { DAY_MS, dayOf, KEPT_DAYS } from './days.js';
import { type AvatarQuality, QualityRepository, type QualitySubject } from './quality.repository.js';
import type { AnswerOutcome } from './quality.schema.js';

/** Counts the outcomes of requests to avatars. */
@Injectable()
export class Quality extends ErasableData implements BeforeApplicationShutdown {
  readonly name = 'quality';
  private readonly answers: Counter<'engine' | 'language_code' | 'outcome'>;
  private readonly counts: CountBuffer<QualitySubject, AnswerOutcome>;

  constructor(
    private readonly repository: QualityRepository,
    catalogue: CatalogueService,
    private readonly clock: Clock,
    metrics: Metrics,
  ) {
    super();
    this.answers = metrics.counter('chat_answers_total', 'Requests to avatars; dodged: "I do not know".', [
      'engine',
      'language_code',
      'outcome',
    ]);
    this.counts = new CountBuffer(async (subject, counts) => {
      // Counts of a project that was removed meanwhile are removed as well.
      if (!(await catalogue.hasProject(subject.project_id))) return;
      const expires_at = new Date(Date.parse(subject.day) + KEPT_DAYS * DAY_MS);
      await repository.add(subject, counts, expires_at);
    }, loggerOf(Quality.name));
  }

  /** @internal Runs before the database disconnects. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.counts.stop();
  }

  /** Counts an answer. Never throws. */
  count(
    { project_id, avatar, language_code }: Pick<QualitySubject, 'project_id' | 'language_code'> & { avatar: Avatar },
    outcome: AnswerOutcome,
  ): void {
    this.answers.inc({ engine: avatar.engine.kind, language_code, outcome });
    const subject = { project_id, day: dayOf(this.clock.now()), avatar_id: avatar._id, language_code };
    this.counts.add(subject, { [outcome]: 1 });
  }
  /**
   * The counts of a project's avatars for the given number of days, including today, from all processes up to 5 s ago.
   * Fails like an unavailable database if it takes longer than `timeout`, in milliseconds.
   */
  async report(project_id: string, days: number, timeout: number): Promise<AvatarQuality[]> {
    await this.counts.flush();
    return this.repository.sum(project_id, dayOf(this.since(days)), timeout);
  }

  /** The midnight in UTC, in Unix milliseconds, with which the given number of days began, including today. */
  since(days: number): number {
    return Date.parse(dayOf(this.clock.now())) - (days - 1) * DAY_MS;
  }

  /** Removes the counts of a project; they contain no user data. */
  override async eraseProject(project_id: string): Promise<void> {
    await this.counts.drop((subject) => subject.project_id === project_id);
    await this.repository.removeAll(project_id);
  }
}
