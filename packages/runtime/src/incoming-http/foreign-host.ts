import { isIP } from 'node:net';

interface HostSettings {
  readonly production: boolean;
  readonly host: string;
  readonly publicUrl?: string | undefined;
  readonly trustProxy: unknown;
}

/** Names that nobody can register in the public DNS, besides those without a dot. */
const LOCAL_NAME = /(?:^|\.)(?:localhost|local|internal|test|home\.arpa)$/;

/**
 * Whether a `Host` header may be that of a page whose name was made to resolve to this machine (DNS rebinding): in a
 * developer's browser such a page could ask for tokens and read answers, as it has the same origin as the service.
 * Undefined if that cannot happen: other machines can reach the service anyway, or a proxy or `PUBLIC_URL` is
 * configured for it in production.
 */
export function foreignHostRule(settings: HostSettings): ((header: string) => boolean) | undefined {
  const { production, host, publicUrl, trustProxy } = settings;
  const isLoopback = host === 'localhost' || host === '::1' || /^127\./.test(host);
  if (production || !isLoopback || trustProxy !== false) return undefined;
  const publicName = publicUrl && new URL(publicUrl).hostname;
  return (header) => {
    const name = header.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '');
    const isOwn = name === publicName || !name.includes('.') || LOCAL_NAME.test(name);
    return !isOwn && !name.startsWith('[') && isIP(name) === 0;
  };
}
