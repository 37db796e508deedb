import type { OutgoingHttp } from 'avatar-chat-runtime';
import type { OidcEntry } from './oidc.entry.js';

/** Timeout of discovery and key set together, in milliseconds. */
const FETCH_LIMIT_MS = 2500;
const MAX_BYTES = 256 * 1024;
const MAX_KEYS = 100;

/** A provider is unavailable or returned no keys. `message` is our own and never quotes the provider. */
export class ProviderError extends Error {}

/** A JSON Web Key Set. */
export interface KeySet {
  readonly keys: Record<string, unknown>[];
}

/** Fetches a provider's current keys. @throws ProviderError within {@link FETCH_LIMIT_MS} */
export async function fetchKeys(http: OutgoingHttp, { issuer, jwks_uri }: OidcEntry): Promise<KeySet> {
  const signal = AbortSignal.timeout(FETCH_LIMIT_MS);
  const uri = jwks_uri ?? (await discover(http, issuer, signal));
  const { keys } = await fetchJson(http, uri, signal);
  if (!Array.isArray(keys) || keys.length === 0) throw new ProviderError('its key set has no keys');
  if (keys.length > MAX_KEYS) throw new ProviderError(`its key set has more than ${MAX_KEYS} keys`);
  if (keys.some((key) => typeof key !== 'object' || key === null)) throw new ProviderError('its key set is malformed');
  return { keys };
}

async function discover(http: OutgoingHttp, issuer: string, signal: AbortSignal): Promise<string> {
  const found = await fetchJson(http, `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, signal);
  if (found.issuer !== issuer) throw new ProviderError('its configuration names another issuer');
  if (typeof found.jwks_uri !== 'string' || !URL.canParse(found.jwks_uri))
    throw new ProviderError('its configuration has no jwks_uri');
  return found.jwks_uri;
}

async function fetchJson(http: OutgoingHttp, uri: string, signal: AbortSignal): Promise<Record<string, unknown>> {
  const url = new URL(uri);
  if (!/^https?:$/.test(url.protocol)) throw new ProviderError('its jwks_uri is no URL of http or https');
  const headers = { accept: 'application/json, application/jwk-set+json' };
  const answer = await http.open(url, { method: 'GET', headers, signal }).catch((error: Error) => {
    throw new ProviderError(error.message);
  });
  try {
    // Redirects are rejected too: keys only come from the URLs in the catalogue and in the provider's own
    // configuration.
    if (answer.statusCode !== 200) throw new ProviderError(`it answered with status ${answer.statusCode}`);
    const pieces: Buffer[] = [];
    let bytes = 0;
    for await (const piece of answer as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (bytes > MAX_BYTES) throw new ProviderError(`its answer is longer than ${MAX_BYTES} bytes`);
      pieces.push(piece);
    }
    const value: unknown = JSON.parse(Buffer.concat(pieces).toString());
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
    throw new ProviderError('its answer is no JSON object');
  } catch (error) {
    throw error instanceof ProviderError ? error : new ProviderError('its answer broke off, or is not JSON');
  } finally {
    answer.destroy();
  }
}
