import { type IdentityEntry, entryFaults, type FieldRule, textRule } from 'avatar-chat-catalogue';
import { outgoingUrlFault } from 'avatar-chat-runtime';
import type { Config } from '../platform/config/index.js';

/** Asymmetric algorithms only: a provider's public key must never be used as a shared secret. */
export const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
] as const;

/** A project's OpenID provider. */
export interface OidcEntry extends IdentityEntry {
  readonly kind: 'oidc';
  /** The exact `iss` of its tokens. Its keys are discovered by `/.well-known/openid-configuration` under it. */
  readonly issuer: string;
  /** Required in `aud`. */
  readonly audience: string;
  /** The claim with the user, by default `sub`. */
  readonly claims?: { readonly user_id?: string };
  /** URL of its keys, for a provider without discovery. */
  readonly jwks_uri?: string;
  /** Accepted {@link ALGORITHMS}; all by default. */
  readonly algorithms?: readonly string[];
}

/** The faults of an entry, each starting with the name of its field. */
export function oidcFaults(entry: IdentityEntry, config: Config): string[] {
  const urlRule = (allowsQuery: boolean): FieldRule => {
    const faultOf = (value: unknown) => outgoingUrlFault(value, config, { allowsQuery });
    return [(value) => faultOf(value) === undefined, (value) => faultOf(value) ?? ''];
  };
  const rules: Record<keyof Omit<OidcEntry, 'kind'>, FieldRule> = {
    issuer: urlRule(false),
    audience: textRule(2000),
    claims: [areClaims, 'must be an object with the name of a claim as user_id'],
    jwks_uri: urlRule(true),
    algorithms: [areAlgorithms, `must be a list of ${ALGORITHMS.join(', ')}`],
  };
  return entryFaults(entry, rules, ['claims', 'jwks_uri', 'algorithms']);
}

function areClaims(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.entries(value).every(
    ([name, claim]) => name === 'user_id' && typeof claim === 'string' && claim !== '' && claim.length <= 200,
  );
}

function areAlgorithms(value: unknown): boolean {
  const known: readonly unknown[] = ALGORITHMS;
  return Array.isArray(value) && value.length > 0 && value.every((one) => known.includes(one));
}
