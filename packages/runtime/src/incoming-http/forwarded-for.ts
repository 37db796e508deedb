import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';

/**
 * Reduces each entry of `X-Forwarded-For` to its address: some proxies add the port of the client's connection, which
 * changes all the time, and brackets or quotes. Everything that goes by the client's address depends on it.
 */
export function normalizeForwardedFor(headers: IncomingHttpHeaders): void {
  const given = headers['x-forwarded-for'];
  if (typeof given === 'string' && /[:"[]/.test(given))
    headers['x-forwarded-for'] = given.split(',').map(addressIn).join(', ');
}

function addressIn(entry: string): string {
  const bare = entry.trim().replace(/^"(.*)"$/, '$1');
  const bracketed = /^\[([^\]]*)\](?::\d*)?$/.exec(bare)?.[1];
  if (bracketed !== undefined) return bracketed;
  const withoutPort = bare.replace(/:\d*$/, '');
  return !isIP(bare) && isIP(withoutPort) ? withoutPort : bare;
}
