import { Injectable } from '@nestjs/common';
import { CatalogueService } from '../catalogue/index.js';
import { MessageQuestions } from '../messages/index.js';
import { failure } from '../platform/errors/index.js';
import { Quality, Usage } from '../quality/index.js';
import type { QualityReport, UsageReport } from './admin.dto.js';

/** Time limit of the count, in milliseconds. */
const COUNT_TIMEOUT_MS = 10_000;

/** Measures how well the avatars of a project answer, and what they use. */
@Injectable()
export class AdminQuality {
  constructor(
    private readonly catalogue: CatalogueService,
    private readonly quality: Quality,
    private readonly used: Usage,
    private readonly questions: MessageQuestions,
  ) {}

  /**
   * Counts by avatar and language, and questions, for the given number of days in UTC, including today. Fails like an
   * unavailable database if it takes more than 10 s.
   *
   * @throws ServiceError `project_not_found`
   */
  async report(project_id: string, days: number): Promise<QualityReport> {
    const project = await this.catalogue.findProject(project_id);
    if (!project) throw failure('unknown_project');
    const since = this.quality.since(days);
    const [avatars, questions] = await Promise.all([
      this.quality.report(project_id, days, COUNT_TIMEOUT_MS),
      project.settings.unansweredQuestions ? this.questions.frequent(project_id, since, COUNT_TIMEOUT_MS) : undefined,
    ]);
    return { avatars, ...(questions ? { questions } : {}) };
  }

  /** Usage by UTC day, avatar and engine, oldest first. @throws ServiceError `project_not_found` */
  async usage(project_id: string, days: number): Promise<UsageReport> {
    if (!(await this.catalogue.findProject(project_id))) throw failure('unknown_project');
    return { days: await this.used.report(project_id, days) };
  }
}
