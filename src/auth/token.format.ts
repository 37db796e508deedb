/** Characters of the longest token that is parsed; tokens of identity providers may list many roles. */
export const TOKEN_LIMIT = 8192;
/** Tokens issued by this service. */
const OWN_LIMIT = 4096;
const COMPACT_JWS = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;

/** The bearer token of an `Authorization` header, or undefined if there is none. Accepts untrusted input. */
export function bearerToken(authorization: string | undefined): string | undefined {
  if (!authorization || !/^Bearer /i.test(authorization)) return undefined;
  return authorization.slice('Bearer '.length).trim() || undefined;
}

/**
 * The header of a token in the format that this service issues: that of {@link parseToken}, and HS256. The library
 * behind Passport is laxer in each of these.
 */
export function tokenHeader(token: string): { kid?: unknown } | undefined {
  const header = token.length > OWN_LIMIT ? undefined : parseToken(token)?.header;
  return header?.alg === 'HS256' ? header : undefined;
}

/**
 * Parses what may be a JWT: three canonical base64url parts, the first two of them JSON objects, with no critical
 * headers.
 */
export function parseToken(token: string): Record<'header' | 'claims', Record<string, unknown>> | undefined {
  if (token.length > TOKEN_LIMIT || !COMPACT_JWS.test(token)) return undefined;
  const parts = token.split('.');
  if (!parts.every(isCanonical)) return undefined;
  const [header, claims] = parts.slice(0, 2).map(jsonObject);
  if (!header || !claims) return undefined;
  return 'crit' in header || 'b64' in header ? undefined : { header, claims };
}

/** The claims of a verified token. */
export function tokenClaims(token: string): Record<string, unknown> {
  return jsonObject(token.split('.')[1]!)!;
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
