import { lookup as resolve, type LookupAddress } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import type { Config } from '../config/index.js';

/** By IANA's registries of special-purpose addresses. Two lists, for one would take `::/3` for all of IPv4 too. */
const NOT_PUBLIC = { ipv4: new BlockList(), ipv6: new BlockList() };
for (const range of [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
]) {
  const [address = '', bits] = range.split('/');
  NOT_PUBLIC.ipv4.addSubnet(address, Number(bits), 'ipv4');
}
/** Everything but 2000::/3, and of that what stands for IPv4 or for nothing. */
for (const range of ['::/3', '4000::/2', '8000::/1', '2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']) {
  const [address = '', bits] = range.split('/');
  NOT_PUBLIC.ipv6.addSubnet(address, Number(bits), 'ipv6');
}

/** Whether an address is one of the public internet. */
export function isPublic(address: string): boolean {
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  return !NOT_PUBLIC[family].check(address, family);
}

/** Whether a webhook may go to a host by plain http, or at an address that is not public. */
export function isPrivateHost(hostname: string, { webhookPrivateHosts: hosts }: Config): boolean {
  return hosts.includes('*') || hosts.includes(bare(hostname));
}

/** What forbids a webhook to go to a URL, as far as can be told without resolving its name. */
export function refusalOf(url: URL, config: Config): 'HTTPS_REQUIRED' | 'PRIVATE_ADDRESS' | undefined {
  if (isPrivateHost(url.hostname, config)) return undefined;
  if (url.protocol !== 'https:') return 'HTTPS_REQUIRED';
  return isIP(bare(url.hostname)) && !isPublic(bare(url.hostname)) ? 'PRIVATE_ADDRESS' : undefined;
}

/** Resolves a name to its public addresses alone. Used for the connection itself: a name may change after it was looked at. */
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
