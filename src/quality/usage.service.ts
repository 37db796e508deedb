import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import type { Counter, Histogram } from 'prom-client';
import type { Owner } from '../auth/index.js';
import { type Project } from 'avatar-chat-catalogue';
import { CatalogueService } from '../catalogue/index.js';
import type { TokenUsage, TurnMeter } from 'avatar-chat-models';
import { CountBuffer } from 'avatar-chat-runtime';
import { ErasableData, type Subject } from '../erasure/index.js';
import { Metrics } from '../platform/metrics/index.js';
import { Clock } from '../platform/config/index.js';
import { loggerOf } from '../platform/logging/index.js';
import { DAY_MS, dayOf, KEPT_DAYS } from './days.js';
import { UsageRepository, type UsageSubject, type UserDay } from './usage.repository.js';
import type { UsageCounts } from './usage.schema.js';

/** What a day's turns of an avatar used. */
export interface UsageDay extends TokenUsage {
  readonly day: string;
  readonly avatar_id: string;
  readonly engine: string;
  readonly turns: number;
  readonly seconds_heard: number;
  readonly seconds_spoken: number;
  readonly tool_calls: number;
}

/** An avatar in a conversation with a user. */
export interface UsedBy {
  readonly owner: Owner;
  readonly project: Pick<Project, 'settings'>;
  readonly avatar_id: string;
  /** The kind of the engine. */
  readonly engine: string;
}

const TOOL_SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** Counts what avatars use per project, avatar, engine and UTC day, and what users of limited projects use. */
@Injectable()
export class Usage extends ErasableData implements BeforeApplicationShutdown {
  readonly name = 'usage';
  private readonly logger = loggerOf(Usage.name);
  private readonly tokens: Counter<'engine' | 'type'>;
  private readonly tools: Histogram<'source' | 'result'>;
  private readonly days: CountBuffer<UsageSubject, keyof UsageCounts>;
  private readonly users: CountBuffer<UserDay, 'tokens'>;

  constructor(
    private readonly repository: UsageRepository,
    catalogue: CatalogueService,
    private readonly clock: Clock,
    metrics: Metrics,
  ) {
    super();
    this.tokens = metrics.counter(
      'chat_model_tokens_total',
      'Tokens that models read (prompt) or wrote (completion).',
      ['engine', 'type'],
    );
    this.tools = metrics.histogram(
      'chat_tool_duration_seconds',
      'Time of tool calls, by the kind of tool and the result.',
      TOOL_SECONDS,
      ['source', 'result'],
    );
    this.days = new CountBuffer(async (subject, counts) => {
      // Counts of a project that was removed meanwhile are removed as well.
      if (!(await catalogue.hasProject(subject.project_id))) return;
      await repository.add(subject, counts, new Date(Date.parse(subject.day) + KEPT_DAYS * DAY_MS));
    }, this.logger);
    this.users = new CountBuffer(async (user, { tokens = 0 }) => {
      if (!(await catalogue.hasProject(user.project_id))) return;
      await repository.addTokens(user, tokens, new Date(Date.parse(user.day) + 2 * DAY_MS));
    }, this.logger);
  }

  /** @internal Runs before the database disconnects. */
  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all([this.days.stop(), this.users.stop()]);
  }

  /** Counts what a turn takes. @throws DatabaseUnavailableError if the project limits tokens */
  async meterFor(by: UsedBy): Promise<TurnMeter> {
    return {
      isExhausted: await this.isExhausted(by.owner, by.project),
      countTokens: (usage) => this.countTokens(by, usage),
      countToolCall: (source, result, seconds) => this.countToolCall(by, source, result, seconds),
    };
  }

  /** Counts turns and seconds. Never throws. */
  count(
    { owner, avatar_id, engine }: UsedBy,
    counts: Partial<Pick<UsageCounts, 'turns' | 'seconds_heard' | 'seconds_spoken'>>,
  ) {
    this.days.add({ project_id: owner.project_id, day: this.today, avatar_id, engine }, counts);
  }

  /** Counts a request to a model. Never throws. */
  countTokens(by: UsedBy, { prompt_tokens, completion_tokens, estimated }: TokenUsage): void {
    const { owner, project, avatar_id, engine } = by;
    const { project_id, user_id } = owner;
    const tokens = prompt_tokens + completion_tokens;
    const estimate = estimated ? { estimated_tokens: tokens } : {};
    this.days.add(
      { project_id, day: this.today, avatar_id, engine },
      { prompt_tokens, completion_tokens, ...estimate },
    );
    this.tokens.inc({ engine, type: 'prompt' }, prompt_tokens);
    this.tokens.inc({ engine, type: 'completion' }, completion_tokens);
    if (!project.settings.tokensPerUserAndDay) return;
    this.users.add({ project_id, user_id, day: this.today }, { tokens });
    // Other processes have to know at once.
    void this.users.flush();
  }

  private countToolCall({ owner, avatar_id, engine }: UsedBy, source: string, result: string, seconds: number): void {
    this.days.add({ project_id: owner.project_id, day: this.today, avatar_id, engine }, { tool_calls: 1 });
    this.tools.observe({ source, result }, seconds);
  }

  /** Whether a user has used more tokens today than the project allows. */
  async isExhausted({ project_id, user_id }: Owner, { settings }: Pick<Project, 'settings'>): Promise<boolean> {
    const limit = settings.tokensPerUserAndDay;
    if (!limit) return false;
    await this.users.flush();
    return (await this.repository.tokensOf({ project_id, user_id, day: this.today })) > limit;
  }

  /** Seconds until the next day in UTC. */
  get secondsLeftToday(): number {
    return Math.ceil((DAY_MS - (this.clock.now() % DAY_MS)) / 1000);
  }

  /** The usage of a project in the given number of days, including today, by day and avatar; oldest first. */
  async report(project_id: string, days: number): Promise<UsageDay[]> {
    await this.days.flush();
    const since = dayOf(this.clock.now() - (days - 1) * DAY_MS);
    const rows = await this.repository.list(project_id, since);
    return rows.map(({ day, avatar_id, engine, estimated_tokens = 0, ...counts }) => ({
      day,
      avatar_id,
      engine,
      turns: counts.turns ?? 0,
      prompt_tokens: counts.prompt_tokens ?? 0,
      completion_tokens: counts.completion_tokens ?? 0,
      estimated: estimated_tokens > 0,
      seconds_heard: rounded(counts.seconds_heard),
      seconds_spoken: rounded(counts.seconds_spoken),
      tool_calls: counts.tool_calls ?? 0,
    }));
  }

  override async eraseUser(owner: Owner): Promise<void> {
    await this.users.drop(({ project_id, user_id }) => project_id === owner.project_id && user_id === owner.user_id);
    await this.repository.removeUser(owner);
  }

  /** A turn that was in progress may have been counted later. */
  override async eraseLeftovers({ project_id, user_id }: Subject): Promise<void> {
    if (user_id !== undefined) await this.repository.removeUser({ project_id, user_id });
  }

  override async eraseProject(project_id: string, isRemoved: boolean): Promise<void> {
    await this.users.drop((user) => user.project_id === project_id);
    await this.repository.removeUsers(project_id);
    if (!isRemoved) return;
    await this.days.drop((subject) => subject.project_id === project_id);
    await this.repository.removeProject(project_id);
  }

  private get today(): string {
    return dayOf(this.clock.now());
  }
}

function rounded(seconds = 0): number {
  return Math.round(seconds * 10) / 10;
}
