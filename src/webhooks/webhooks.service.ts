import { newSecret, refusalOf, REFUSALS } from 'avatar-chat-runtime';
import { Injectable } from '@nestjs/common';
import { type CatalogueCheck, type Project, type Webhook } from 'avatar-chat-catalogue';
import { CatalogueService, ProjectSecrets } from '../catalogue/index.js';
import { isSecretName } from 'avatar-chat-settings';
import { Clock, Config, isoDate } from '../platform/config/index.js';
import { EventsService } from '../events/index.js';
import { OutboxRepository } from './outbox.repository.js';
import type { DeliveryState, OutboxEntry } from './outbox.schema.js';
import { ownSecret } from './webhook.keys.js';

/** The delivery of one event to one webhook, for operators. Times are ISO 8601, in UTC. */
export interface Delivery {
  /** The event's identifier, which the receiver gets as `webhook-id`, a dot, and the webhook's name. */
  id: string;
  project_id: string;
  user_id: string;
  webhook: string;
  type: string;
  date: string;
  state: DeliveryState;
  attempts: number;
  last_attempt?: string;
  /** The status of the last response. */
  status?: number;
  /** A code that says why there was no response. */
  error?: string;
  /** Not during an attempt. */
  next_attempt?: string;
  /** How many events were dropped. */
  dropped?: number;
}

/** How long a webhook's former secret also signs, in milliseconds. */
const GRACE_MS = 86_400_000;

/** Webhooks for operators, and the validation of their configuration. */
@Injectable()
export class WebhooksService {
  constructor(
    private readonly outbox: OutboxRepository,
    private readonly clock: Clock,
    private readonly secrets: ProjectSecrets,
    private readonly catalogue: CatalogueService,
    private readonly events: EventsService,
    config: Config,
  ) {
    catalogue.addCheck(({ projects }) =>
      projects.flatMap(({ webhooks = [] }, index) =>
        webhooks.flatMap((webhook, position) => {
          const place = `projects[${index}].webhooks[${position}]`;
          return [...faultsOf(webhook, place, config), ...this.misspeltEvents(webhook, place)];
        }),
      ),
    );
  }

  private misspeltEvents({ events = [] }: Webhook, place: string): ReturnType<CatalogueCheck> {
    return events.flatMap((type, index) => {
      const known = this.events.declaredInstead(type);
      return known ? [{ place: `${place}.events[${index}]`, problem: `must be one of ${known.join(', ')}` }] : [];
    });
  }

  /** A project's webhooks, each with its generated secret, unless a variable holds its own. */
  withSecrets(project: Project): (Webhook & { secret?: string })[] {
    return (project.webhooks ?? []).map((webhook) =>
      webhook.secret_env === undefined ? { ...webhook, secret: ownSecret(project, webhook) } : webhook,
    );
  }

  /**
   * Gives a webhook a new secret. The former one also signs for a day.
   *
   * @returns the secret; `none` if there is no such webhook, `variable` if its secrets are in a variable
   */
  async rotateSecret(project_id: string, name: string): Promise<{ secret: string } | 'none' | 'variable'> {
    const webhooks = (await this.catalogue.findProject(project_id))?.webhooks;
    const webhook = webhooks?.find((one) => one.name === name);
    if (!webhook) return 'none';
    if (webhook.secret_env !== undefined) return 'variable';
    const secret = newSecret();
    const rotated = await this.secrets.setWebhookSecret(project_id, name, (project) => ({
      secret,
      previous: { secret: ownSecret(project, webhook), until: this.clock.now() + GRACE_MS },
    }));
    return rotated ? { secret } : 'none';
  }

  /** The outbox entries, newest first, of one project or of all; at most this many. */
  async *log(project_id?: string, limit?: number): AsyncGenerator<Delivery> {
    for await (const entry of this.outbox.log(project_id, limit)) yield describe(entry);
  }

  /** Retries a delivery, of any project or of one, with a fresh attempt count. @returns false if there is none */
  async retry(_id: string, project_id?: string): Promise<boolean> {
    const one = { _id, ...(project_id === undefined ? {} : { project_id }) };
    return (await this.outbox.retry(one, this.clock.now())) > 0;
  }

  /** Retries all deliveries of a project that are dead or have failed before. @returns how many there were */
  retryAll(project_id: string): Promise<number> {
    return this.outbox.retry({ project_id }, this.clock.now());
  }
}

function faultsOf({ url: text, secret_env }: Webhook, place: string, config: Config): ReturnType<CatalogueCheck> {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const refusal = url && refusalOf(url, config);
  const faults: ReturnType<CatalogueCheck> = [];
  if (!url || url.username || url.password || url.hash) {
    faults.push({ place: `${place}.url`, problem: 'must be a URL without user, password and fragment' });
  }
  if (refusal) faults.push({ place: `${place}.url`, problem: REFUSALS[refusal] });
  if (secret_env !== undefined && !isSecretName(secret_env)) {
    const problem = "must be the name of an environment variable, and not of one of this service's own secrets";
    faults.push({ place: `${place}.secret_env`, problem });
  }
  return faults;
}

function describe(entry: OutboxEntry): Delivery {
  const { _id, project_id, user_id, webhook, type, date, state, attempts, due, lease, last, dropped } = entry;
  return {
    id: _id,
    project_id,
    user_id,
    webhook,
    type,
    date: isoDate(date),
    state,
    attempts,
    ...(last === undefined ? {} : { last_attempt: isoDate(last.at) }),
    ...(last?.status === undefined ? {} : { status: last.status }),
    ...(last?.error === undefined ? {} : { error: last.error }),
    ...(due === undefined || lease !== undefined ? {} : { next_attempt: isoDate(due) }),
    ...(dropped === undefined ? {} : { dropped }),
  };
}
