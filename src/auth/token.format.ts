/** Bytes of the longest token that is looked at. */
const TOKEN_LIMIT = 4096;
const COMPACT_JWS = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;

/** The bearer token of an `Authorization` header, or undefined where there is none. May be anything. */
export function bearerToken(authorization: string | undefined): string | undefined {
  if (!authorization || !/^Bearer /i.test(authorization)) return undefined;
  return authorization.slice('Bearer '.length).trim() || undefined;
}

/**
 * The header of a token that has the form of ours: three canonical base64url parts, of which the first two are JSON
 * objects, HS256 and nothing critical. The library behind Passport is laxer in each of these.
 */
export function tokenHeader(token: string): { kid?: unknown } | undefined {
  if (token.length > TOKEN_LIMIT || !COMPACT_JWS.test(token)) return undefined;
  const parts = token.split('.');
  if (!parts.every(isCanonical)) return undefined;
  const [header, claims] = parts.slice(0, 2).map(jsonObject);
  if (!header || !claims) return undefined;
  if (header.alg !== 'HS256' || 'crit' in header || 'b64' in header) return undefined;
  return header;
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
