import { bearerToken, tokenClaims } from './token.format.js';

/** For how long a verified token counts. */
export interface TokenValidity {
  /** Unix time in seconds. */
  readonly expires_at: number;
  /** The project's epoch that it was issued in, if it names one. */
  readonly epoch?: string;
}

/** Of requests whose own token does not say it: those of identity providers, and client secrets. */
const remembered = new WeakMap<object, TokenValidity>();

export function rememberValidity(request: object, validity: TokenValidity): void {
  remembered.set(request, validity);
}

/** How long the verified token of a request is valid. */
export function requestValidity(request: { headers: { authorization?: string } }): TokenValidity {
  const known = remembered.get(request);
  if (known) return known;
  const { exp, epoch } = tokenClaims(bearerToken(request.headers.authorization)!);
  return { expires_at: Number(exp), ...(typeof epoch === 'string' ? { epoch } : {}) };
}
