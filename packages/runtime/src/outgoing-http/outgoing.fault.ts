import { type PrivateHosts, type Refusal, refusalOf } from './outgoing.address.js';

/** Why a URL must not be called, as a rule for operators. */
export const REFUSALS: Readonly<Record<Refusal, string>> = {
  HTTPS_REQUIRED: 'must be https in production, unless PRIVATE_HOSTS has its host',
  PRIVATE_ADDRESS: 'must be a public address in production, unless PRIVATE_HOSTS has it',
};

/** The rule that an operator's server URL violates; undefined for a valid one. */
export function outgoingUrlFault(
  value: unknown,
  config: PrivateHosts,
  { allowsQuery = false } = {},
): string | undefined {
  if (!isServerUrl(value, allowsQuery))
    return `must be an http or https URL without name and password${allowsQuery ? '' : ', query'} and fragment`;
  const refusal = refusalOf(new URL(value), config);
  return refusal && REFUSALS[refusal];
}

function isServerUrl(value: unknown, allowsQuery: boolean): value is string {
  if (typeof value !== 'string' || value.length > 2000 || !URL.canParse(value)) return false;
  const { protocol, username, password, search, hash } = new URL(value);
  return /^https?:$/.test(protocol) && !username && !password && (allowsQuery || !search) && !hash;
}
