import { Injectable } from '@nestjs/common';
import { Clock } from '../platform/config/index.js';
import { failure } from '../platform/errors/index.js';
import { CatalogueRepository } from './catalogue.repository.js';
import { CatalogueService } from './catalogue.service.js';
import { type PreviousSecret, type Project, type WebhookSecret, newKey } from 'avatar-chat-catalogue';

/** Attempts to apply a change while other processes change the same. */
const ATTEMPTS = 5;

/** The keys with which a project may sign at a time (Unix time in milliseconds), newest first. */
export function validKeys({ key, previous_keys = [] }: Project, now: number): string[] {
  return [key, ...previous_keys.filter(({ until }) => until > now).map(({ secret }) => secret)];
}

/** Changes secrets of projects. All processes see a change within two seconds. */
@Injectable()
export class ProjectSecrets {
  constructor(
    private readonly repository: CatalogueRepository,
    private readonly catalogue: CatalogueService,
    private readonly clock: Clock,
  ) {}

  /**
   * Gives a project a new key. Former keys stay valid for at most the grace period. The secrets of its webhooks do not
   * change.
   *
   * @param graceMs milliseconds
   * @returns the key; undefined if there is no such project
   */
  async rotateKey(project_id: string, graceMs: number): Promise<string | undefined> {
    const key = newKey();
    const rotated = await this.change(project_id, (project) => {
      const now = this.clock.now();
      const until = now + graceMs;
      const former: PreviousSecret[] = [{ secret: project.key, until }, ...(project.previous_keys ?? [])];
      const previous_keys = former
        .map((previous) => ({ ...previous, until: Math.min(previous.until, until) }))
        .filter((previous) => previous.until > now);
      return {
        seen: { key: project.key },
        changes: { key, previous_keys, webhook_key: project.webhook_key ?? project.key },
      };
    });
    return rotated ? key : undefined;
  }

  /**
   * Gives a webhook its own secret.
   *
   * @param next `previous` is the current one
   * @returns false if there is no such project
   */
  setWebhookSecret(project_id: string, name: string, next: (project: Project) => WebhookSecret): Promise<boolean> {
    return this.change(project_id, (project) => ({
      seen: { [`webhook_secrets.${name}.secret`]: project.webhook_secrets?.[name]?.secret },
      changes: { [`webhook_secrets.${name}`]: next(project) },
    }));
  }

  /** @returns false if there is no such project */
  private async change(
    project_id: string,
    decide: (project: Project) => Record<'seen' | 'changes', Record<string, unknown>>,
  ): Promise<boolean> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      await this.catalogue.load();
      const project = await this.catalogue.findProject(project_id);
      if (!project) return false;
      const { seen, changes } = decide(project);
      const changed = await this.repository.setIf(project_id, seen, changes);
      await this.catalogue.load();
      if (changed) return true;
    }
    throw failure('service_unavailable');
  }
}
