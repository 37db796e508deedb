import { randomUUID } from 'node:crypto';
import { Injectable, SetMetadata } from '@nestjs/common';
import { JwtService } from '@nestjs/jwt';
import { Clock, Config } from '../platform/config/index.js';
import { failure } from '../platform/errors/index.js';
import { ISSUER, JwtStrategy, type TokenClaims } from './jwt.strategy.js';
import type { Owner } from './owner.js';
import { parseToken } from './token.format.js';
import { TokenKeys } from './token.keys.js';
import { rememberValidity, type TokenValidity } from './token.validity.js';

const PREFIX = 'ek_';
/** Of these tokens alone, so that no other route accepts them. */
const AUDIENCE = 'avatar-chat-live';
/** Maximum length in characters: it has to fit into one header of common proxies. */
const MAX_LENGTH = 7000;

export const ACCEPTS_CLIENT_SECRETS = 'accepts-client-secrets';

/** Makes a handler accept client secrets as bearer tokens, too. */
export const AcceptsClientSecrets = () => SetMetadata(ACCEPTS_CLIENT_SECRETS, true);

interface SecretClaims extends TokenClaims {
  /** When the token of the caller expires, in Unix time in seconds. */
  until: number;
  payload?: string;
}

/** The payload of verified secrets, by their request. */
const payloads = new WeakMap<object, string>();

/** What was given to {@link ClientSecrets.issue}, if the request came with a client secret. */
export function clientSecretPayload(request: object): string | undefined {
  return payloads.get(request);
}

/** Short-lived tokens for clients in browsers, which open live sessions and nothing else. */
@Injectable()
export class ClientSecrets {
  constructor(
    private readonly jwt: JwtService,
    private readonly keys: TokenKeys,
    private readonly strategy: JwtStrategy,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /**
   * @param validity of the caller's token, which the secret does not outlive
   * @param payload is kept in the secret, where its bearer can read it
   * @returns undefined if the payload is too long
   */
  issue(
    { project_id, user_id }: Owner,
    { expires_at, epoch, identity }: TokenValidity,
    seconds: number,
    payload?: string,
  ): { value: string; expires_at: number } | undefined {
    const iat = Math.floor(this.clock.now() / 1000);
    const exp = Math.min(iat + Math.min(seconds, this.config.jwtTtlSeconds), Math.floor(expires_at));
    const claims: SecretClaims = {
      iss: ISSUER,
      aud: AUDIENCE,
      sub: user_id,
      project: project_id,
      epoch,
      identity,
      iat,
      exp,
      jti: randomUUID(),
      until: expires_at,
      ...(payload === undefined ? {} : { payload }),
    };
    const value = `${PREFIX}${this.jwt.sign(claims)}`;
    return value.length > MAX_LENGTH ? undefined : { value, expires_at: exp };
  }

  /**
   * The owner of a request with a client secret; undefined if it has another token.
   *
   * @throws ServiceError `invalid_token`, also for an expired secret, `project_not_found`
   */
  async ownerOf(request: object, bearer: string | undefined): Promise<Owner | undefined> {
    if (!bearer?.startsWith(PREFIX)) return undefined;
    const claims = this.verify(bearer.slice(PREFIX.length));
    const owner = await this.strategy.ownerOf(claims).catch((error: { code?: string }) => {
      throw error.code === 'token_expired' ? failure('invalid_token') : error;
    });
    const { until, epoch, identity, payload } = claims;
    rememberValidity(request, { expires_at: until, epoch, identity });
    if (payload !== undefined) payloads.set(request, payload);
    return owner;
  }

  private verify(token: string): SecretClaims {
    const key = this.keys.find(token, parseToken(token)?.header.kid);
    if (!parseToken(token) || !key) throw failure('invalid_token');
    try {
      return this.jwt.verify<SecretClaims>(token, {
        secret: key as never,
        algorithms: ['HS256'],
        issuer: ISSUER,
        audience: AUDIENCE,
        ignoreExpiration: true,
      });
    } catch {
      throw failure('invalid_token');
    }
  }
}
