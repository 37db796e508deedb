import { lookup as resolve, type LookupAddress } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/** Hosts that may be called by plain http, or at non-public addresses; `*`: any. */
export interface PrivateHosts {
  readonly privateHosts: readonly string[];
}

/** From IANA's special-purpose address registries. Two lists, since one would apply `::/3` to all of IPv4 too. */
const NOT_PUBLIC = { ipv4: new BlockList(), ipv6: new BlockList() };
for (const range of [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  // Link-local, which includes the metadata service of most clouds.
  '169.254.0.0/16',
  // Azure's metadata service: numerically a public address, but never one on the internet.
  '168.63.129.16/32',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
]) {
  const [address = '', bits] = range.split('/');
  NOT_PUBLIC.ipv4.addSubnet(address, Number(bits), 'ipv4');
}
/**
 * Everything but 2000::/3, so also embedded IPv4 (`::a.b.c.d`, `::ffff:a.b.c.d`, NAT64's `64:ff9b::/96` and
 * `64:ff9b:1::/48`), and within 2000::/3 the tunnels to IPv4 (Teredo, 6to4) and unassigned ranges.
 */
for (const range of [
  '::/3',
  '4000::/2',
  '8000::/1',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
]) {
  const [address = '', bits] = range.split('/');
  NOT_PUBLIC.ipv6.addSubnet(address, Number(bits), 'ipv6');
}

/** Whether an address is on the public internet. */
export function isPublic(address: string): boolean {
  // A zone names a local interface.
  const version = address.includes('%') ? 0 : isIP(address);
  if (version === 0) return false;
  const family = version === 6 ? 'ipv6' : 'ipv4';
  return !NOT_PUBLIC[family].check(address, family);
}

/** Whether a host may be called by plain http, or at a non-public address. */
export function isPrivateHost(hostname: string, { privateHosts: hosts }: PrivateHosts): boolean {
  return hosts.includes('*') || hosts.includes(bare(hostname));
}

/** Why a URL must not be called. */
export type Refusal = 'HTTPS_REQUIRED' | 'PRIVATE_ADDRESS';

/** Why a URL must not be called, as far as this can be decided without resolving its name. */
export function refusalOf(url: URL, config: PrivateHosts): Refusal | undefined {
  if (isPrivateHost(url.hostname, config)) return undefined;
  if (url.protocol !== 'https:') return 'HTTPS_REQUIRED';
  return isIP(bare(url.hostname)) && !isPublic(bare(url.hostname)) ? 'PRIVATE_ADDRESS' : undefined;
}

/**
 * Resolves a name to public addresses only. Used for the connection itself, since a name may resolve differently after
 * a check.
 */
export const lookupPublic: LookupFunction = (hostname, options, callback) => {
  resolve(hostname, { ...options, all: true }, (error, found) => {
    const addresses = error ? [] : (found as LookupAddress[]).filter(({ address }) => isPublic(address));
    const [first] = addresses;
    if (error) callback(error, []);
    else if (!first) callback(Object.assign(new Error('Not a public address'), { code: 'PRIVATE_ADDRESS' }), []);
    else if (options.all) callback(null, addresses);
    else callback(null, first.address, first.family);
  });
};

/** A host name without the brackets of an IPv6 address. */
function bare(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '').toLowerCase();
}
