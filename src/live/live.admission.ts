import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { type Owner, requestExpiry } from '../auth/index.js';
import { AVATAR_ID, CatalogueService, chosenAvatar, chosenLanguage } from '../catalogue/index.js';
import { SessionRepository } from '../connection/index.js';
import { Clock } from '../platform/config/index.js';
import { failure } from '../platform/errors/index.js';
import type { Admission } from './session/live.session.js';

/** Maximum length of a session identifier, in characters. */
const MAX_SESSION = 64;

/** Decides who may start a live session, and with which avatar. */
@Injectable()
export class LiveAdmission {
  constructor(
    private readonly catalogue: CatalogueService,
    private readonly sessions: SessionRepository,
    private readonly clock: Clock,
  ) {}

  /** @throws ServiceError for the first fault of a request */
  async admit(owner: Owner, request: FastifyRequest): Promise<Admission> {
    const { model, language_code, session } = request.query as Record<string, unknown>;
    const resolved = await this.catalogue.resolvedProject(owner.project_id);
    if (typeof model !== 'string' || !AVATAR_ID.test(model)) throw failure('invalid_model');
    const avatar = chosenAvatar(resolved, model);
    if (!avatar.hasLiveMode) throw failure('live_mode_unavailable');
    if (language_code !== undefined && typeof language_code !== 'string') throw failure('invalid_language_code');
    const language = chosenLanguage(resolved, language_code);
    if (session !== undefined && !(await this.isOpen(owner, session))) throw failure('invalid_session');
    return {
      owner,
      resolved,
      avatar,
      language_code: language,
      ...(session === undefined ? {} : { session: session as string }),
      expires: requestExpiry(request) * 1000,
      address: request.ip,
    };
  }

  private async isOpen(owner: Owner, session: unknown): Promise<boolean> {
    if (typeof session !== 'string' || session.length === 0 || session.length > MAX_SESSION) return false;
    return this.sessions.isOpen(owner, session, new Date(this.clock.now()));
  }
}
