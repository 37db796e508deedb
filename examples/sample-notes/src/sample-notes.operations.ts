import { Injectable } from '@nestjs/common';
import { CliCommand, HealthCheck, OnEvent, type ServiceEvent, Metrics, type Terminal } from 'avatar-chat-service';
import { Counter } from 'prom-client';
import { SampleNotesService } from './sample-notes.service.js';

/** What operators use. */
@Injectable()
export class SampleNotesOperations {
  private readonly sessions: Counter;

  constructor(
    private readonly service: SampleNotesService,
    metrics: Metrics,
  ) {
    const registers = [metrics.registry];
    this.sessions = new Counter({ name: 'sample_notes_sessions_total', help: 'Sessions that began.', registers });
  }

  /** While it throws, the service is not ready. */
  @HealthCheck('sample-notes')
  async reach(): Promise<void> {
    await this.service.count();
  }

  @CliCommand('sample-notes count')
  async print(_words: readonly string[], terminal: Terminal): Promise<void> {
    await terminal.print(`${await this.service.count()}\n`);
  }

  @OnEvent('session.started')
  countSession(_event: ServiceEvent<'session.started'>): void {
    this.sessions.inc();
  }
}
