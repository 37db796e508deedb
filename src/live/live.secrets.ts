import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { clientSecretPayload, ClientSecrets, type Owner, requestValidity } from '../auth/index.js';
import { AVATAR_ID, type Avatar, type ResolvedProject } from 'avatar-chat-catalogue';
import { CatalogueService, chosenAvatar } from '../catalogue/index.js';
import { failure } from '../platform/errors/index.js';
import { SpeechService } from '../speech/index.js';
import type { ClientSecret, ClientSecretRequest } from './live.dto.js';
import {
  LiveError,
  newSessionId,
  firstConfig,
  type SessionConfig,
  updatedConfig,
  describeSession,
} from 'avatar-chat-realtime';

/** Validity of a secret in seconds: by default and at most, and at least. */
const MAX_SECONDS = 600;
const MIN_SECONDS = 10;

export type GivenSession = Readonly<Record<string, unknown>>;

/** Tokens for clients that cannot keep one, each with the configuration of its session. */
@Injectable()
export class LiveSecrets {
  constructor(
    private readonly secrets: ClientSecrets,
    private readonly catalogue: CatalogueService,
    private readonly speech: SpeechService,
  ) {}

  /** @throws ServiceError `invalid_avatar_id`, `avatar_not_found`, `live_mode_unavailable`, `invalid_request` */
  async issue(owner: Owner, request: FastifyRequest, body: ClientSecretRequest): Promise<ClientSecret> {
    const { session: given } = body;
    const seconds = Math.floor(body.expires_after?.seconds ?? MAX_SECONDS);
    const validity = requestValidity(request);
    const session = await this.describe(owner, given ?? {}, validity.expires_at);
    const payload = given && deflateRawSync(JSON.stringify(given)).toString('base64url');
    const clamped = Math.min(MAX_SECONDS, Math.max(MIN_SECONDS, seconds));
    const issued = this.secrets.issue(owner, validity, clamped, payload);
    if (!issued) throw failure('payload_too_large');
    return { ...issued, session };
  }

  /** The session of the client secret that a request came with, if any. */
  sessionOf(request: FastifyRequest): GivenSession | undefined {
    const payload = clientSecretPayload(request);
    if (payload === undefined) return undefined;
    return JSON.parse(inflateRawSync(Buffer.from(payload, 'base64url')).toString()) as GivenSession;
  }

  /** The session that will begin with a secret, as its client will get it. */
  private async describe({ project_id }: Owner, given: GivenSession, expires_at: number): Promise<GivenSession> {
    const resolved = await this.catalogue.resolvedProject(project_id);
    const first = resolved.avatars.find(({ hasLiveMode }) => hasLiveMode)?._id;
    const avatar = liveAvatar(resolved, given.model ?? first);
    const [{ language_code } = { language_code: 'en' }] = resolved.languages;
    const config = this.configOf(resolved, language_code, given);
    const [hear, judgeTurns] = await Promise.all([
      this.speech.canListen(resolved.project.speech, config.language_code),
      this.speech.canJudgeTurns(),
    ]);
    return describeSession(newSessionId(), { avatar, resolved, expires: expires_at * 1000 }, config, {
      hear,
      judgeTurns,
    });
  }

  /** @throws ServiceError `invalid_session` if a session cannot begin so */
  configOf(resolved: ResolvedProject, language_code: string, given: unknown): SessionConfig {
    try {
      return updatedConfig(firstConfig(resolved, language_code), given, resolved);
    } catch (error) {
      throw error instanceof LiveError ? failure('invalid_live_session', error.message) : error;
    }
  }
}

/** The avatar that a client names. @throws ServiceError `invalid_avatar_id`, `avatar_not_found`, `live_mode_unavailable` */
export function liveAvatar(resolved: ResolvedProject, model: unknown): Avatar {
  if (typeof model !== 'string' || !AVATAR_ID.test(model)) throw failure('invalid_model');
  const avatar = chosenAvatar(resolved, model);
  if (!avatar.hasLiveMode) throw failure('live_mode_unavailable');
  return avatar;
}
