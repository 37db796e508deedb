import { createHash } from 'node:crypto';
import type { Project } from 'avatar-chat-catalogue';
import { bearerToken, tokenClaims } from './token.format.js';

/** What of its project a verified token depends on. */
export interface TokenBasis {
  /** The project's epoch that it was issued in, if it names one. */
  readonly epoch?: string | undefined;
  /** The {@link identityMark} of the project whose identity provider issued it, if one did. */
  readonly identity?: string | undefined;
}

/** For how long a verified token counts. */
export interface TokenValidity extends TokenBasis {
  /** Unix time in seconds. */
  readonly expires_at: number;
}

/** Whether a project no longer accepts a token that it accepted. Tokens of earlier releases name no epoch. */
export function isWithdrawn({ epoch, identity }: TokenBasis, project: Project): boolean {
  return (
    (epoch !== undefined && epoch !== project.epoch) || (identity !== undefined && identity !== identityMark(project))
  );
}

/** Distinguishes what a project accepts its provider's tokens by. A hash, since browsers can read it in a secret. */
export function identityMark({ epoch, identity }: Project): string {
  return createHash('sha256')
    .update(JSON.stringify([epoch, identity]))
    .digest('base64url');
}

/** Of requests whose own token does not say it: those of identity providers, and client secrets. */
const VALIDITY = Symbol('validity');
type Authorized = { headers: { authorization?: string }; [VALIDITY]?: TokenValidity };

export function rememberValidity(request: object, validity: TokenValidity): void {
  Object.assign(request, { [VALIDITY]: validity });
}

/** How long the verified token of a request is valid. */
export function requestValidity(request: Authorized): TokenValidity {
  const { [VALIDITY]: known } = request;
  if (known) return known;
  const { exp, epoch } = tokenClaims(bearerToken(request.headers.authorization)!);
  return { expires_at: Number(exp), ...(typeof epoch === 'string' ? { epoch } : {}) };
}
