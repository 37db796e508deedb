/** Characters of the longest token that is looked at: those of identity providers may list many roles. */
export const TOKEN_LIMIT = 8192;
/** Of our own. */
const OWN_LIMIT = 4096;
const COMPACT_JWS = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;

/** The bearer token of an `Authorization` header, or undefined where there is none. May be anything. */
export function bearerToken(authorization: string | undefined): string | undefined {
  if (!authorization || !/^Bearer /i.test(authorization)) return undefined;
  return authorization.slice('Bearer '.length).trim() || undefined;
}

/**
 * The header of a token that has the form of ours: that of {@link parseToken}, and HS256. The library behind Passport is
 * laxer in each of these.
 */
export function tokenHeader(token: string): { kid?: unknown } | undefined {
  const header = token.length > OWN_LIMIT ? undefined : parseToken(token)?.header;
  return header?.alg === 'HS256' ? header : undefined;
}

/** A token that may be a JWT: three canonical base64url parts, of which the first two are JSON objects; nothing critical. */
export function parseToken(token: string): Record<'header' | 'claims', Record<string, unknown>> | undefined {
  if (token.length > TOKEN_LIMIT || !COMPACT_JWS.test(token)) return undefined;
  const parts = token.split('.');
  if (!parts.every(isCanonical)) return undefined;
  const [header, claims] = parts.slice(0, 2).map(jsonObject);
  if (!header || !claims) return undefined;
  return 'crit' in header || 'b64' in header ? undefined : { header, claims };
}

/** When a token that has been verified expires, in Unix seconds. */
export function tokenExpiry(token: string): number {
  return Number(jsonObject(token.split('.')[1]!)!.exp);
}

function isCanonical(part: string): boolean {
  return Buffer.from(part, 'base64url').toString('base64url') === part;
}

function jsonObject(part: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(part, 'base64url')));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
