import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { type Owner, requestValidity, type TokenBasis } from '../auth/index.js';
import { CatalogueService, chosenLanguage } from '../catalogue/index.js';
import { SessionRepository } from '../connection/index.js';
import { Clock } from '../platform/config/index.js';
import { Database } from '../platform/database/index.js';
import { failure } from '../platform/errors/index.js';
import type { Admission } from 'avatar-chat-realtime';
import { TurnCounts } from '../rate-limits/index.js';
import { type GivenSession, liveAvatar, LiveSecrets } from './live.secrets.js';

/** Maximum length of a session identifier, in characters. */
const MAX_SESSION = 64;

/** Who may start a session, and what of the project the token depends on. */
export type Admitted = Admission & TokenBasis;

/** Decides who may start a live session, and with which avatar. */
@Injectable()
export class LiveAdmission {
  constructor(
    private readonly catalogue: CatalogueService,
    private readonly sessions: SessionRepository,
    private readonly counts: TurnCounts,
    private readonly secrets: LiveSecrets,
    private readonly clock: Clock,
    private readonly database: Database,
  ) {}

  /** @param call the session that comes with a call. @throws ServiceError for the first fault of a request, DatabaseUnavailableError */
  async admit(owner: Owner, request: FastifyRequest, call?: unknown): Promise<Admitted> {
    const { model: named, language_code, session } = request.query as Record<string, unknown>;
    const resolved = await this.catalogue.resolvedProject(owner.project_id);
    const secret = this.secrets.sessionOf(request);
    const isCall = call !== undefined;
    const given: GivenSession | undefined = isCall ? { ...secret, ...(call as object) } : secret;
    const model = named ?? (isCall ? given?.model : undefined);
    const avatar = liveAvatar(resolved, model);
    if ([given, secret].some((one) => one?.model !== undefined && one.model !== model)) throw failure('other_model');
    if (language_code !== undefined && typeof language_code !== 'string') throw failure('invalid_language_code');
    const language = chosenLanguage(resolved, language_code);
    if (isCall) this.secrets.configOf(resolved, language, call);
    if (session !== undefined && !(await this.isOpen(owner, session))) throw failure('invalid_session');
    // Nothing that is said could be stored.
    await this.database.ping();
    const { expires_at, ...basis } = requestValidity(request);
    return {
      owner,
      resolved,
      avatar,
      language_code: language,
      ...(session === undefined ? {} : { session: session as string }),
      expires: expires_at * 1000,
      ...basis,
      address: request.ip,
      holders: this.counts.holdersOf(owner, request.ip),
      ...(given ? { given } : {}),
      ...(isCall ? { isCall } : {}),
    };
  }

  private async isOpen(owner: Owner, session: unknown): Promise<boolean> {
    if (typeof session !== 'string' || session.length === 0 || session.length > MAX_SESSION) return false;
    return this.sessions.isOpen(owner, session, new Date(this.clock.now()));
  }
}
